#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/calibration_file.hpp"
#include "cli/probe_session.hpp"
#include "cli/terminal.hpp"
#include "model/tmmodel/calibration_diagnosis.hpp"
#include "model/tmmodel/kernel_interval.hpp"
#include "workbench/probes/kept_probes.hpp"
#include "workbench/probes/tmmodel_samples.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace texelscope::cli {
namespace {

namespace fs = std::filesystem;

// `calibrate`: fits the model's parameters to a device. In: walks and warps, measured now or read
// from what `probe` has kept. Out: a calibration file for --calibration, and how good the fit is.
//
// Names as in TMModel: beta are the coefficients of the thread level (nanoseconds of a stride that
// leaves a block), D is the strength of thrashing at the warp level, C the lines of the L1 texture
// cache.
struct CalibrateArguments {
    ProbeSession session;
    std::string folder; ///< of the probes' records; empty: measured now
    std::string device; ///< a profile, for C
    std::int64_t cache_lines = 0;
    std::string regression;
    std::string out;
};

/// What the probes found, wherever from.
struct Measured {
    std::string on;
    std::string device;
    std::map<std::string, ProbeRecord> records; ///< by probe
    Known known;
};

constexpr const char* walks_probe = "tmmodel-walks";
constexpr const char* warps_probe = "tmmodel-warps";
constexpr std::array used_probes{"warp-size", "texture-caches", walks_probe, warps_probe};

/// What the probes need to know before they can run. Of a simulated device it need not be measured:
/// its profile says it.
void know_profile(Known& known, const SimulationOptions& options)
{
    known["warp.size"] = options.machine.warp_size;
    known["l1.capacity"] = static_cast<double>(options.machine.l1().geometry.capacity.value);
    known["l1.line"] = static_cast<double>(options.machine.l1().geometry.line.value);
    known["l2.capacity"] = static_cast<double>(options.machine.l2().geometry.capacity.value);
}

/// C: as given by --cache-lines, else of the profile of --device, else of the simulated device that
/// was measured, else what the probe texture-caches found. Throws bad_input where none of them
/// tells.
std::int64_t cache_lines_of(const CalibrateArguments& arguments, const Measured& measured)
{
    if (arguments.cache_lines > 0) {
        return arguments.cache_lines;
    }
    if (!arguments.device.empty()) {
        return find_profile(arguments.device).simulation.machine.l1().geometry.lines();
    }
    TargetArguments target;
    target.on = measured.on;
    if (const auto profile = target.simulated_profile()) {
        return find_profile(*profile).simulation.machine.l1().geometry.lines();
    }
    const auto capacity = measured.known.find("l1.capacity");
    const auto line = measured.known.find("l1.line");
    if (capacity == measured.known.end() || line == measured.known.end()) {
        throw bad_input("the lines of its L1 texture cache are not known: no record of "
                        "texture-caches tells them",
                        measured.device,
                        "give --cache-lines N, or --device with a profile that has as many");
    }
    return static_cast<std::int64_t>(capacity->second / line->second);
}

Measured measure(const CalibrateArguments& arguments, const GlobalOptions& global)
{
    arguments.session.target.check();
    const ProbeSession session = arguments.session.seeded(global.seed);
    const TargetInfo info = target_info(session);
    Measured out{session.target.on, info.name, {}, {}};
    const std::optional<std::string> profile = session.target.simulated_profile();
    if (profile) {
        know_profile(out.known, find_profile(*profile).simulation);
    }
    const bool knows_lines = profile || arguments.cache_lines > 0 || !arguments.device.empty();
    const Progress progress = make_progress(global);
    for (const Probe& probe : probes()) {
        const bool used = std::count(used_probes.begin(), used_probes.end(), probe.name) > 0;
        const bool known = (probe.name == "warp-size" && profile) ||
                           (probe.name == "texture-caches" && knows_lines);
        if (!used || known) {
            continue;
        }
        if (probe.name == walks_probe) {
            // Without C the walks are of no use. Better refused now than after minutes of
            // measuring.
            (void)cache_lines_of(arguments, out);
        }
        if (progress) {
            progress(probe.name,
                     static_cast<double>(&probe - probes().data()) / double(probes().size()));
        }
        ProbeRecord record = run_probe(probe, session.run(), info, out.known);
        learn(out.known, record);
        out.records.emplace(probe.name, std::move(record));
    }
    end_progress(global);
    return out;
}

Measured read_folder(const std::string& folder)
{
    const KeptProbes kept = read_probe_folder(folder);
    const std::string name = target_of(kept, folder).name;
    const auto on = kept.settings.find("on");
    if (on == kept.settings.end() || !on->is_string()) {
        throw bad_input("the records do not say on what they were measured", folder,
                        "measure them again");
    }
    Measured out{*on, name, {}, {}};
    for (const ProbeRecord& record : kept.records) {
        learn(out.known, record);
        out.records.emplace(record.name, record);
    }
    return out;
}

/// The record of a probe that ended well; null where there is none.
const ProbeRecord* done(const Measured& measured, const char* probe)
{
    const auto found = measured.records.find(probe);
    return found != measured.records.end() && found->second.status == ProbeRecord::Status::done
               ? &found->second
               : nullptr;
}

std::string why_not(const Measured& measured, const char* probe)
{
    const auto found = measured.records.find(probe);
    return found == measured.records.end() ? "there is no record" : found->second.reason;
}

/// A calibration, what its walks say of the fit, and reasons not to trust it.
struct Fitted {
    NamedCalibration named;
    WalkDiagnosis walks;
    std::vector<std::string> doubts;
};

Fitted fit(const CalibrateArguments& arguments, const Measured& measured, std::uint64_t seed)
{
    const ProbeRecord* walks = done(measured, walks_probe);
    if (walks == nullptr) {
        throw bad_input(fmt::format("no walks were measured: {}", why_not(measured, walks_probe)),
                        arguments.folder.empty() ? measured.device : arguments.folder,
                        "run texelscope probe --suite tmmodel -o FOLDER");
    }
    const ProbeRecord* warps = done(measured, warps_probe);
    const MeasuredCalibration all =
        measured_calibration(walks->result, warps != nullptr ? &warps->result : nullptr,
                             cache_lines_of(arguments, measured));
    std::optional<Regression> regression;
    if (!arguments.regression.empty()) {
        regression = parse_regression(arguments.regression);
    }
    Fitted out;
    out.named = {measured.device, fit_calibration(all.samples, regression, seed)};
    out.walks = diagnose_walks(out.named.calibration.thread, out.named.calibration.walks);
    out.doubts = doubts(out.named.calibration, all.walk_spreads);
    if (warps == nullptr) {
        out.doubts.push_back(fmt::format("{}: {}", warps_probe, why_not(measured, warps_probe)));
    }
    return out;
}

std::string block_name(Extent2D block)
{
    return fmt::format("{}x{}", block.width, block.height);
}

/// By what factor predictions may be off for kernels that lie at this distance from the walks that
/// the model was fitted to.
struct ErrorFactor {
    double up_to = 0; ///< distance
    std::size_t walks = 0;
    /// Of measured over predicted or the reverse; nothing where there are too few walks, or too
    /// many of their held-out times are not positive.
    std::optional<double> factor;
};

std::vector<ErrorFactor> error_factors(const Calibration& calibration)
{
    std::vector<ErrorFactor> factors;
    const HeldOutErrors errors(calibration.walks, calibration.held_out);
    for (const HeldOutErrors::Group& group : errors.groups()) {
        // Errors are kept as logarithms of the ratio, so that half and double count alike.
        const double factor = std::exp(errors.bound(group.up_to, interval_level).log_error);
        factors.push_back({group.up_to, group.errors.size(),
                           std::isfinite(factor) ? std::optional(factor) : std::nullopt});
    }
    return factors;
}

ordered_json result_json(const Fitted& fitted, const std::string& on)
{
    const Calibration& calibration = fitted.named.calibration;
    const auto fits = [](const LinearModel& model) -> ordered_json {
        return {{"regression", to_string(model.regression)},
                {"training", to_json(model.training)},
                {"held_out", to_json(model.held_out)}};
    };
    ordered_json out = json_result("calibrate");
    out["on"] = on;
    out["device"] = fitted.named.device;
    out["cache_lines"] = calibration.cache_lines;
    out["walks"] = calibration.walks.size();
    out["warps"] = calibration.warps.size();
    out["thread"] = fits(calibration.thread);
    out["reuse_thread"] = fits(calibration.reuse_thread);
    out["D"] = calibration.thrash.d;
    out["warp"] = {{"training", to_json(calibration.thrash.training)},
                   {"held_out", to_json(calibration.thrash.held_out)}};
    out["residuals"] = ordered_json::array();
    for (std::size_t i = 0; i < WalkDiagnosis::shares.size(); ++i) {
        out["residuals"].push_back(
            {{"quantile", WalkDiagnosis::shares.at(i)}, {"error", fitted.walks.quantiles.at(i)}});
    }
    out["worst"] =
        json_list(fitted.walks.worst, [](const WalkDiagnosis::Walk& walk) -> ordered_json {
            return {{"walk", walk.number},
                    {"measured_ns", walk.measured_ns},
                    {"predicted_ns", walk.predicted_ns}};
        });
    out["interval"] = {{"level", interval_level}, {"groups", ordered_json::array()}};
    for (const ErrorFactor& group : error_factors(calibration)) {
        out["interval"]["groups"].push_back(
            {{"distance", group.up_to},
             {"walks", group.walks},
             {"factor", group.factor ? ordered_json(*group.factor) : ordered_json(nullptr)}});
    }
    out["access"] = {{"ns", calibration.thread.beta.back()}, {"share", fitted.walks.access_share}};
    out["blocks"] =
        json_list(fitted.walks.shapes, [](const WalkDiagnosis::Shape& shape) -> ordered_json {
            return {{"block", block_name(shape.block)},
                    {"x_ns", shape.x_ns},
                    {"y_ns", shape.y_ns},
                    {"share", shape.share}};
        });
    out["sides"] =
        json_list(fitted.walks.sides, [](const WalkDiagnosis::Side& side) -> ordered_json {
            return {{"along", side.along_x ? "x" : "y"},
                    {"texels", side.texels},
                    {"ns", side.ns},
                    {"share", side.share}};
        });
    out["doubts"] = fitted.doubts;
    return out;
}

std::string calibration_text(const Fitted& fitted)
{
    const Calibration& calibration = fitted.named.calibration;
    const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
    std::string text =
        fmt::format("{}: {} walks, {} growing warps, C = {} lines of L1\n\n", fitted.named.device,
                    calibration.walks.size(), calibration.warps.size(), calibration.cache_lines);
    text += error_line("beta, " + to_string(calibration.thread.regression),
                       calibration.thread.training, calibration.thread.held_out);
    text += error_line("beta, reuse-aware, " + to_string(calibration.reuse_thread.regression),
                       calibration.reuse_thread.training, calibration.reuse_thread.held_out);
    text += error_line(fmt::format("D = {:.3f}", calibration.thrash.d), calibration.thrash.training,
                       calibration.thrash.held_out);
    std::vector<Cells> rows{{"any access", fmt::format("{:.3f}", calibration.thread.beta.back()),
                             percent(fitted.walks.access_share)}};
    for (const WalkDiagnosis::Side& side : fitted.walks.sides) {
        rows.push_back(
            {fmt::format("a block {} texels {}", side.texels, side.along_x ? "wide" : "high"),
             fmt::format("{:.3f}", side.ns), percent(side.share)});
    }
    text +=
        "\nwhat a stride costs that leaves a block, and the share of the mean walk's latency\n" +
        format_table({"leaving", "ns", "share"}, rows);
    text += "\nresiduals of the walks, (predicted - measured) / measured:";
    for (std::size_t i = 0; i < WalkDiagnosis::shares.size(); ++i) {
        text += fmt::format("{} {:g} %: {:+.1f} %", i == 0 ? "" : ",",
                            100 * WalkDiagnosis::shares.at(i), 100 * fitted.walks.quantiles.at(i));
    }
    rows.clear();
    for (const ErrorFactor& group : error_factors(calibration)) {
        rows.push_back({fmt::format("{:.3f}", group.up_to), std::to_string(group.walks),
                        group.factor ? fmt::format("{:.3f}", *group.factor) : "no bounds"});
    }
    text += fmt::format("\n\nfactor that {:g} % of held-out walks are within, by their distance "
                        "from the others\n",
                        100 * interval_level) +
            format_table({"distance up to", "walks", "factor"}, rows);
    rows.clear();
    for (const WalkDiagnosis::Walk& walk : fitted.walks.worst) {
        rows.push_back({std::to_string(walk.number), fmt::format("{:.4g}", walk.measured_ns),
                        fmt::format("{:.4g}", walk.predicted_ns)});
    }
    text += "\n" + format_table({"worst walk", "measured [ns]", "predicted [ns]"}, rows);
    for (const std::string& doubt : fitted.doubts) {
        text += "\nwarning: " + doubt;
    }
    return text + (fitted.doubts.empty() ? "" : "\n");
}

int calibrate_and_print(const CalibrateArguments& arguments, const GlobalOptions& global)
{
    if (!arguments.folder.empty() && !fs::is_directory(arguments.folder)) {
        throw bad_input("this is no folder", "--samples " + arguments.folder,
                        "give one that probe -o has written");
    }
    const Measured measured =
        arguments.folder.empty() ? measure(arguments, global) : read_folder(arguments.folder);
    const Fitted fitted = fit(arguments, measured, global.seed);
    if (!arguments.out.empty()) {
        write_file_atomically(arguments.out, calibration_json(fitted.named).dump() + "\n");
    }
    print_result(global, result_json(fitted, measured.on), calibration_text(fitted));
    if (!arguments.out.empty()) {
        print_note(global, "calibration written to " + arguments.out);
    }
    return exit_code::done;
}

} // namespace

Command calibrate_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand(
        "calibrate", "fits the model's beta and D to a device, measured now or by probe before");
    const auto arguments = std::make_shared<CalibrateArguments>();
    arguments->session.add_to(*parser);
    parser
        ->add_option("--samples", arguments->folder,
                     "folder that probe --suite tmmodel -o has written; without it the device is "
                     "measured now")
        ->excludes(parser->get_option("--on"))
        ->excludes(parser->get_option("--agent"))
        ->excludes(parser->get_option("--opencl"));
    parser
        ->add_option("--repeat", arguments->session.options.samples, "samples of each measurement")
        ->check(CLI::Range(3, 1000));
    parser->add_option("--walks", arguments->session.options.walks, "random walks to measure")
        ->check(CLI::Range(8, 100000));
    parser->add_option("--device", arguments->device,
                       "profile that says how many lines the L1 texture cache has");
    parser
        ->add_option("--cache-lines", arguments->cache_lines,
                     "lines of the L1 texture cache, where no probe tells")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
        ->default_str("");
    parser
        ->add_option("--regression", arguments->regression,
                     "least-squares, ridge or non-negative; without it the one of least "
                     "cross-validated error")
        ->check(CLI::IsMember({"least-squares", "ridge", "non-negative"}));
    parser->add_option("-o,--out", arguments->out,
                       "calibration to write, for --calibration of predict, tune, crosscheck");
    return {parser, [arguments, &global] { return calibrate_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
