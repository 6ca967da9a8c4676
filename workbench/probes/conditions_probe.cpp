#include "devices/jobs/conditions.hpp"
#include "workbench/probes/measurements.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

/// Arithmetic on all cores for about that time.
Arithmetic load_of(Target& target, double nanoseconds)
{
    Arithmetic load;
    load.local = {
        static_cast<std::int32_t>(std::min<std::int64_t>(target.info().max_work_group, 256)), 1, 1};
    load.groups = {8 * target.info().compute_units, 1, 1};
    load.chains = 8;
    load.turns = 4096;
    // First a short load, from whose time the turns of the wanted length follow.
    const double took = median(target.run(load, 3));
    load.turns = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(4096 * nanoseconds / std::max(1.0, took)));
    return load;
}

} // namespace

ProbeResult probe_conditions(Target& target, const Known&, const ProbeOptions& options)
{
    constexpr double launch_ns = 5e7;
    constexpr int readings = 10;
    ProbeResult result;
    ProbeCurve clock{"clock under load", "time [s]", "clock [MHz]"};
    ProbeCurve heat{"temperature under load", "time [s]", "temperature [C]"};
    const auto start = std::chrono::steady_clock::now();
    const auto note = [&](const Conditions& now) {
        const double time =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (now.clock_hz) {
            clock.points.push_back({time, {static_cast<double>(*now.clock_hz) / 1e6}});
        }
        if (now.millidegrees) {
            heat.points.push_back({time, {static_cast<double>(*now.millidegrees) / 1e3}});
        }
    };
    const Conditions before = target.conditions();
    note(before);
    Conditions after;
    const Arithmetic load = load_of(target, launch_ns);
    for (int i = 0; i < readings; ++i) {
        check_stop(options.stop);
        (void)target.run(load, 1);
        after = target.conditions();
        note(after);
    }
    result.notes.push_back("before: " + to_string(before));
    result.notes.push_back("after: " + to_string(after));
    for (auto* curve : {&clock, &heat}) {
        if (curve->points.empty()) {
            continue;
        }
        const bool is_clock = curve == &clock;
        const std::string key = is_clock ? "clock" : "temperature";
        const std::string unit = is_clock ? "MHz" : "C";
        const std::string& source = is_clock ? before.clock_source : before.temperature_source;
        result.findings.push_back(
            {key + ".before", median(curve->points.front()), unit, "at rest, " + source});
        result.findings.push_back({key + ".after", median(curve->points.back()), unit,
                                   "right after arithmetic on all cores, " + source});
        result.curves.push_back(std::move(*curve));
    }
    return result;
}

} // namespace texelscope::workbench::probes
