#include "cli/fit_argument.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/terminal.hpp"
#include "devices/jobs/described_device.hpp"
#include "workbench/probes/profile/fitted_profile.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace texelscope::cli {

void FitArgument::add_to(CLI::App& parser)
{
    parser.add_option("--fit", file,
                      "F.xml: the profile with what the device of --on was measured to cost; "
                      "measured (seconds) and "
                      "written where the file is not there");
}

DeviceProfile FitArgument::of(DeviceProfile profile, const OpenClDevice* device,
                              const GlobalOptions& global) const
{
    if (file.empty()) {
        return profile;
    }
    if (device == nullptr) {
        throw bad_input("there is no device to measure", "--fit " + file,
                        "add --on DEVICE, or name the file with --device");
    }
    if (std::filesystem::exists(file)) {
        DeviceProfile known = read_profile(file);
        // A fit to another device is worse than none, because nothing would show it.
        if (!describes(known, device->info()).value_or(false)) {
            throw bad_input("it was not fitted to " + device->info().name, "--fit " + file,
                            "name another file");
        }
        return known;
    }
    const OpenClDeviceInfo& info = device->info();
    const std::string where = info.name + ", driver " + info.driver;
    const auto timed =
        timed_kernels(kernels_to_fit(), *device, global.seed, make_progress(global), interrupted);
    profile.of = info.name;
    set_value(
        profile, "cores",
        {std::to_string(info.compute_units), "", Provenance::datasheet, "answer of " + where});
    profile = fitted_profile(std::move(profile), timed, where, interrupted);
    end_progress(global);
    write_file_atomically(file, to_xml(profile));
    print_note(global, fmt::format("{} kernels were measured on {}; profile written to {}",
                                   timed.size(), info.name, file));
    return profile;
}

} // namespace texelscope::cli
