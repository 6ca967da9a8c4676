#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/result_file.hpp"
#include "cli/target_arguments.hpp"
#include "cli/terminal.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/runners/place_listing.hpp"
#include "devices/targets/job_target.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/phones/nearest_profile.hpp"
#include "workbench/phones/phone_conclusions.hpp"
#include "workbench/phones/phone_record.hpp"
#include "workbench/phones/phone_report.hpp"
#include "workbench/phones/phone_session.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace texelscope::cli {
namespace {

// `phone`: everything about one device in one go. In: a place. Out: a folder with what was measured
// (phone.json.zst, to be sent to others), a profile, its machines, and a report. Or, with --merge:
// several such files as one.
struct PhoneArguments {
    TargetArguments target{.on = "", .watched = WatchedDevices::all};
    std::vector<std::string> merge;
    std::string output;
    std::string base;
    PhonePlan plan;
    SearchOptions search; ///< for the machines that agree with the kernels
};

constexpr std::int64_t simulated_accesses = 20'000; ///< of a kernel, where it is simulated

/// The simulator in place of a phone: a rehearsal whose truth is known.
PhoneDevice simulated_phone(const PhoneArguments& arguments, const std::string& profile,
                            std::uint64_t seed)
{
    const auto truth = std::make_shared<const DeviceProfile>(find_profile(profile));
    PhoneDevice phone;
    phone.simulated = true;
    OpenClDeviceInfo& info = phone.device.info;
    info.name = truth->of.empty() ? truth->name : truth->of;
    info.platform = "texelscope's simulator";
    info.driver = "profile " + truth->name;
    info.max_work_group = truth->limits.work_group_size;
    info.images = true;
    info.image_width = truth->limits.image_width;
    info.image_height = truth->limits.image_height;
    info.compute_units = truth->simulation.machine.cores;
    phone.open = [target = arguments.target, seed](const StopToken& stop) {
        return target.open(seed, stop);
    };
    phone.target = phone.open(interrupted)->info();
    phone.timer = [truth](const Operator& /*op*/) {
        return simulator_timer(*truth, simulated_accesses, TEXELSCOPE_VERSION, interrupted);
    };
    return phone;
}

PhoneDevice real_phone(const PhoneArguments& arguments, std::uint64_t seed)
{
    const JobRunnerOptions options = arguments.target.runner_options();
    const DeviceListing listing = list_place(parse_job_place(arguments.target.on), options);
    const auto device = std::make_shared<const OpenClDevice>(arguments.target.on, options);
    PhoneDevice phone;
    for (const ListedDevice& listed : listing.devices) {
        if (listed.info.index == device->info().index) {
            phone.device = listed;
        }
    }
    phone.device.info = device->info();
    phone.open = [target = arguments.target, seed](const StopToken& stop) {
        return target.open(seed, stop);
    };
    phone.target = target_info(phone.device.info);
    phone.timer = [device, seed](const Operator& op) {
        RunOptions run;
        run.samples = 5;
        run.budget_seconds = 1;
        run.timeout_seconds = 10;
        run.stop = interrupted;
        return device_timer(op, *device, run, seed, TEXELSCOPE_VERSION);
    };
    return phone;
}

std::string summary(const PhoneRecord& record, const PhoneConclusions& found)
{
    std::string text =
        fmt::format("{}, driver {}\n", record.device.info.name, record.device.info.driver);
    std::size_t done = 0, findings = 0;
    for (const ProbeRecord& probe : record.probes) {
        done += probe.status == ProbeRecord::Status::done ? 1 : 0;
        findings += probe.result.findings.size();
    }
    text += fmt::format("probes: {} of {} ran and found {} values\n", done, record.probes.size(),
                        findings);
    text += record.walks ? fmt::format("walks: {}; {}\n", record.walks->size(),
                                       found.explained ? "a texture cache explains them"
                                                       : "no texture cache explains them")
                         : fmt::format("walks: none, {}\n", record.no_walks);
    std::size_t right = 0;
    for (const PhoneConclusions::Kernel& kernel : found.kernels) {
        right += kernel.result.status == RunStatus::ok ? 1 : 0;
    }
    text += fmt::format("kernels: {} of {} ran with a right output\n", right, found.kernels.size());
    for (const bool after : {false, true}) {
        const PhoneAgreementText agrees = agreement(found, after);
        if (agrees.tau) {
            text +=
                fmt::format("  by the profile {}: Kendall's tau {:.2f}, median error {:.0f} %\n",
                            after ? "that was concluded from them" : "as it was", *agrees.tau,
                            100 * agrees.error);
        }
    }
    if (found.machines) {
        text +=
            fmt::format("machines: {} agree with the kernels\n", found.machines->machines.size());
    }
    for (const std::string& note : found.notes) {
        text += "note: " + note + "\n";
    }
    return text;
}

ordered_json summary_json(const PhoneRecord& record, const PhoneConclusions& found,
                          const std::string& folder)
{
    ordered_json out = json_result("phone");
    out["folder"] = folder;
    out["device"] = record.device.info.name;
    out["simulated"] = record.simulated;
    out["probes"] = json_list(record.probes, [](const ProbeRecord& probe) {
        return ordered_json{
            {"name", probe.name}, {"status", to_string(probe.status)}, {"reason", probe.reason}};
    });
    out["walks"] = record.walks ? record.walks->size() : 0;
    out["cache_explains_walks"] = found.explained;
    out["kernels"] = found.kernels.size();
    for (const bool after : {false, true}) {
        const PhoneAgreementText agrees = agreement(found, after);
        out[after ? "concluded" : "before"] = {{"kernels", agrees.kernels},
                                               {"tau", json_or_null(agrees.tau)},
                                               {"error", agrees.error}};
    }
    out["machines"] = found.machines ? found.machines->machines.size() : 0;
    out["notes"] = found.notes;
    return out;
}

int merge(const PhoneArguments& arguments, const GlobalOptions& global)
{
    const std::vector<PhoneRecord> phones = merged_phones(arguments.merge);
    write_phones(arguments.output, phones);
    ordered_json out = json_result("merged-phones");
    out["output"] = arguments.output;
    out["phones"] = json_list(phones, [](const PhoneRecord& phone) {
        return ordered_json{{"device", phone.device.info.name},
                            {"driver", phone.device.info.driver},
                            {"month", phone.month},
                            {"kernels", phone.kernels.size()}};
    });
    print_result(global, out,
                 format_table({"device", "driver", "month", "measurements of kernels"}, phones,
                              [](const PhoneRecord& phone) {
                                  return Cells{phone.device.info.name, phone.device.info.driver,
                                               phone.month, std::to_string(phone.kernels.size())};
                              }));
    return exit_code::done;
}

int measure(const PhoneArguments& arguments, const GlobalOptions& global)
{
    namespace fs = std::filesystem;
    const fs::path folder(arguments.output);
    arguments.target.check();
    make_output_folder(arguments.output, "--output");
    const auto profile = arguments.target.simulated_profile();
    PhoneDevice phone = profile ? simulated_phone(arguments, *profile, global.seed)
                                : real_phone(arguments, global.seed);
    NearestProfile nearest = arguments.base.empty()
                                 ? nearest_profile(phone.device.info)
                                 : as_profile_of(find_profile(arguments.base), phone.device.info);
    print_note(global,
               fmt::format("{}: {} {}", phone.device.info.name,
                           nearest.same ? "the profile is" : "no profile is of it; the nearest is",
                           nearest.profile.name));
    phone.profile = nearest.profile;
    PhonePlan plan = arguments.plan;
    plan.seed = global.seed;
    const Progress progress = make_progress(global);
    const PhoneRecord record = measure_phone(phone, plan, arguments.output, TEXELSCOPE_VERSION,
                                             part_progress(progress, 0, 2), interrupted);
    write_phones((folder / "phone.json.zst").string(), {record});
    SearchOptions search = arguments.search;
    search.seed = global.seed;
    PhoneConclusions found = conclusions_of(record, nearest.profile, search, plan.threads,
                                            part_progress(progress, 1, 2), interrupted);
    end_progress(global);
    found.profile.name = "phone";
    if (found.machines) {
        write_file_atomically((folder / "phone.machines.json").string(),
                              machines_text(*found.machines));
    }
    write_file_atomically((folder / "phone.xml").string(), to_xml(found.profile));
    write_file_atomically((folder / "report.html").string(), phone_page(record, found));
    print_result(global, summary_json(record, found, arguments.output), summary(record, found));
    print_note(global, fmt::format("{0}/report.html shows it; {0}/phone.xml is its profile, for "
                                   "--device; {0}/phone.json.zst is what was measured, to be sent "
                                   "to others",
                                   arguments.output));
    return exit_code::done;
}

int measure_or_merge(const PhoneArguments& arguments, const GlobalOptions& global)
{
    if (arguments.merge.empty() == arguments.target.on.empty()) {
        throw bad_input("one place is measured, or files are merged", "phone",
                        "write phone adb: -o FOLDER, or phone --merge A.json.zst B.json.zst -o "
                        "ALL.json.zst");
    }
    return arguments.merge.empty() ? measure(arguments, global) : merge(arguments, global);
}

} // namespace

Command phone_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand(
        "phone", "measures a phone in one go: what it is, probes, walks, kernels; out of it a "
                 "profile, a report, and a file to send to others");
    const auto arguments = std::make_shared<PhoneArguments>();
    arguments->target.add_to(*parser, "place,--on");
    parser
        ->add_option("-o,--output", arguments->output,
                     "folder for all of it; what it holds already is not measured again. With "
                     "--merge: the file")
        ->required();
    parser
        ->add_option("--merge", arguments->merge,
                     "files phone.json.zst of several phones: writes them as one")
        ->expected(1, -1);
    parser->add_option("--base", arguments->base,
                       "profile that is nearest to the device (default: by its name)");
    parser->add_option("--kernels", arguments->plan.kernels, "how many kernels are measured")
        ->check(CLI::Range(7, 7000));
    parser->add_option("--passes", arguments->plan.passes, "how often each kernel is measured")
        ->check(CLI::Range(1, 100));
    parser->add_option("--walks", arguments->plan.walks.walks, "walks for the texture cache")
        ->check(CLI::Range(10, 10000));
    parser
        ->add_option("--probe-seconds", arguments->plan.probe_seconds,
                     "seconds of a probe, which then goes on")
        ->check(CLI::Range(1.0, 3600.0));
    parser
        ->add_option("--budget", arguments->search.evaluations,
                     "machines that are tried against the kernels")
        ->check(CLI::Range(100, 10000000));
    return {parser, [arguments, &global] { return measure_or_merge(*arguments, global); }, true};
}

} // namespace texelscope::cli
