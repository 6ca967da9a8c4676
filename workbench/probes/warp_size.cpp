#include "model/curves/periodic_staircase.hpp"
#include "model/walks/arrival_order.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace texelscope::workbench::probes {

// Two ways to the size of a warp. Arithmetic takes steps over the work-items of a group, each time
// another warp is needed; and work-items of a warp come to a counter together, as runs of
// neighbours. A size is only reported where the two do not contradict each other.
ProbeResult probe_warp_size(Target& target, const Known&, const ProbeOptions& options)
{
    ProbeResult result;
    const TargetInfo& info = target.info();
    ProbeCurve curve{"arithmetic over work-items", "work-items of a group", "time [ns]"};
    const int most = static_cast<int>(std::min<std::int64_t>(info.max_work_group, 260));
    for (int items = 1; items <= most; items += items % 4 == 1 ? 3 : 1) { // 1, 4, 5, 8, 9, ..
        check_stop(options.stop);
        Arithmetic kernel;
        kernel.local = {items, 1, 1};
        kernel.groups = {16 * info.compute_units, 1, 1};
        kernel.turns = 4096;
        curve.points.push_back({static_cast<double>(items), target.run(kernel, options.samples)});
    }
    const std::optional<StaircasePeriod> steps = find_period(curve.points);
    if (steps) {
        for (std::int64_t x = steps->period; x < most; x += steps->period) {
            curve.marks.push_back({double(x), double(x), double(x), ""});
        }
    }
    result.curves.push_back(std::move(curve));

    const auto order = target.arrival_order(
        {static_cast<std::int32_t>(std::min<std::int64_t>(info.max_work_group, 1024)), 1, 1});
    ProbeCurve arrivals{"arrival at a counter", "work-item", "work-items before it"};
    for (std::size_t item = 0; item < order.size(); ++item) {
        arrivals.points.push_back({static_cast<double>(item), {static_cast<double>(order[item])}});
    }
    result.curves.push_back(std::move(arrivals));
    // Warps in order of their numbers look like one long run: the steps decide then.
    const int width = longest_runs(order);
    const auto runs =
        width > 1 && width < static_cast<int>(order.size()) ? std::optional(width) : std::nullopt;

    const std::string by_steps =
        steps ? fmt::format("arithmetic takes steps of {} work-items (probability {:.3f})",
                            steps->period, steps->probability)
              : "arithmetic does not rise in steps";
    const std::string by_runs =
        runs ? fmt::format("runs of {} come to a counter together", *runs)
             : "the order at a counter does not tell (all in order, or none together)";
    if (steps && (!runs || *runs % steps->period == 0)) {
        result.findings.push_back({"warp.size", double(steps->period), "",
                                   by_steps + "; " + by_runs,
                                   std::pair(double(steps->low), double(steps->high))});
    } else if (runs && !steps) {
        result.findings.push_back({"warp.size", double(*runs), "", by_runs + "; " + by_steps});
    } else {
        result.notes.push_back("the warp size is not known: " + by_steps + ", but " + by_runs);
    }
    if (!result.findings.empty()) {
        const double warp = result.findings.front().value;
        if (const int together = warps_together(order, static_cast<std::size_t>(warp));
            together > 0) {
            result.findings.push_back(
                {"lanes.together", warp * together, "",
                 together == 1 ? "each warp comes to the counter in one go"
                               : fmt::format("{} warps take turns at the counter", together)});
        }
    }
    return result;
}

} // namespace texelscope::workbench::probes
