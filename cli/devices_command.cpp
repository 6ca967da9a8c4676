#include "cli/arguments.hpp"
#include "cli/machines_output.hpp"
#include "cli/place_arguments.hpp"
#include "cli/place_output.hpp"
#include "cli/terminal.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/runners/place_listing.hpp"
#include "sim/layout/named_layouts.hpp"
#include "workbench/machines/machines_json.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace texelscope::cli {
namespace {

/// Each value with its provenance and its source.
ordered_json profile_json(const DeviceProfile& profile)
{
    ordered_json values;
    for (const auto& [key, value] : profile.values) {
        values[key] = {{"value", value.text},
                       {"unit", value.unit},
                       {"from", to_string(value.provenance)},
                       {"source", value.source}};
    }
    return {{"name", profile.name}, {"description", profile.description}, {"values", values}};
}

/// The same as a table, in the order of the profile's keys.
std::string describe(const DeviceProfile& profile)
{
    std::vector<Cells> rows;
    for (const Setting& key : profile_keys(profile)) {
        const auto found = profile.values.find(key.key);
        if (found != profile.values.end()) {
            rows.push_back({key.key, found->second.text, key.unit,
                            to_string(found->second.provenance), found->second.source});
        }
    }
    return profile.name + ": " + profile.description + "\n\n" +
           format_table({"key", "value", "unit", "from", "source"}, rows);
}

/// The named storage layouts; as JSON with the bits of an image of 1024x1024 texels at each texel
/// size.
void list_layouts(bool as_json)
{
    ordered_json layouts = ordered_json::array();
    std::vector<Cells> rows;
    for (const NamedLayoutInfo& layout : named_layouts()) {
        const bool any = layout.texel_bytes.empty();
        ordered_json bits;
        for (const std::int64_t bytes :
             any ? std::vector<std::int64_t>{1, 2, 4, 8, 16} : layout.texel_bytes) {
            bits[std::to_string(bytes)] =
                to_string(named_layout(layout.name, {1024, 1024}, Bytes{bytes}));
        }
        ordered_json known = layout.texel_bytes;
        layouts.push_back({{"name", layout.name},
                           {"about", layout.about},
                           {"texel_bytes", any ? ordered_json() : known},
                           {"source", layout.source},
                           {"bits_1024x1024", bits}});
        rows.push_back({layout.name,
                        any ? "any" : fmt::format("{}", fmt::join(layout.texel_bytes, ",")),
                        layout.about, layout.source});
    }
    if (as_json) {
        ordered_json out = json_result("layouts");
        out["layouts"] = layouts;
        print_json(out);
    } else {
        print_text("Named storage layouts, for --set layout=NAME (docs/reference/layouts.md has "
                   "the other ways to "
                   "write one)\n" +
                   format_table({"name", "B/texel", "what", "source"}, rows));
    }
}

} // namespace

Command devices_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand(
        "devices", "device profiles known, OpenCL devices found, what each can do");
    const auto chosen = std::make_shared<std::string>();
    CLI::Option* profile_option =
        parser->add_option("profile", *chosen, "show this profile's values, each with its source");
    const auto layouts = std::make_shared<bool>(false);
    parser->add_flag("--layouts", *layouts, "list the named storage layouts instead")
        ->excludes(profile_option);
    const auto on = std::make_shared<std::string>();
    parser
        ->add_option("--on", *on,
                     "all that a place's OpenCL devices tell, and its clock and temperature now: a "
                     "device of this machine, agent:[DEVICE], adb:[SERIAL][/DEVICE] or "
                     "ssh:HOST[/DEVICE]; without DEVICE all of them")
        ->excludes(profile_option)
        ->excludes("--layouts");
    const auto place = std::make_shared<PlaceArguments>();
    place->add_to(*parser);
    return {
        parser, [&global, chosen, layouts, on, place] {
            if (!on->empty()) {
                const DeviceListing listing =
                    list_place(parse_job_place(*on), place->runner_options());
                print_result(global, json_result("place", place_json(*on, listing)),
                             place_text(*on, listing));
                return exit_code::done;
            }
            place->refuse("where no place is named");
            if (*layouts) {
                list_layouts(global.json);
                return exit_code::done;
            }
            if (!chosen->empty()) {
                const DeviceProfile profile = find_profile(*chosen);
                const auto machines = machines_of(profile);
                const OverMachinesOutput over =
                    machines ? described_machines(*machines) : OverMachinesOutput{};
                if (global.json) {
                    ordered_json json = json_result("device", profile_json(profile));
                    if (machines) {
                        json["over_machines"] = over.json;
                    }
                    print_json(json);
                } else {
                    print_text(describe(profile) + over.text);
                }
                return exit_code::done;
            }
            ordered_json profiles = ordered_json::array();
            std::vector<Cells> profile_rows;
            for (const std::string& name : profile_names()) {
                const DeviceProfile profile = find_profile(name);
                profiles.push_back(profile_json(profile));
                profile_rows.push_back({name, profile.description});
            }
            ordered_json found = ordered_json::array();
            std::vector<Cells> device_rows;
            for (const OpenClDeviceInfo& device : devices_here()) {
                // Opening it runs the self-test of the fast texel read; a device that fails to
                // open is still listed.
                std::string reads;
                try {
                    reads = to_string(OpenClDevice(std::to_string(device.index)).best_backend());
                } catch (const std::exception& error) {
                    reads = std::string("cannot be opened: ") + error.what();
                }
                found.push_back(device_json(device));
                found.back()["texel_reads"] = reads;
                device_rows.push_back(
                    {std::to_string(device.index), device.platform, device.name, device.driver,
                     device.images ? fmt::format("{}x{}", device.image_width, device.image_height)
                                   : "none",
                     std::to_string(device.max_work_group), reads});
            }
            if (global.json) {
                ordered_json out = json_result("devices");
                out["profiles"] = profiles;
                out["opencl"] = found;
                print_json(out);
                return exit_code::done;
            }
            print_text(
                "Device profiles (texelscope devices NAME shows the source of each value)\n" +
                format_table({"name", "description"}, profile_rows) + "\nOpenCL devices\n" +
                (device_rows.empty()
                     ? std::string(
                           "none found; install an OpenCL driver, for example pocl-opencl-icd\n")
                     : format_table({"index", "platform", "name", "driver", "largest image",
                                     "work-group", "texel reads"},
                                    device_rows)));
            return exit_code::done;
        }};
}

} // namespace texelscope::cli
