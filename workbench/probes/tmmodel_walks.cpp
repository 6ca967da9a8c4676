#include "workbench/probes/measurements.hpp"
#include "workbench/probes/tmmodel_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

/// Nanoseconds of a read that finds its texel in the cache.
std::vector<double> hits(Target& target, Route route, int samples)
{
    Chase chase;
    chase.extent = {32, 32};
    chase.walk = {{0, 0}};
    chase.warm_passes = 16;
    chase.passes = 1024;
    chase.route = route;
    return target.chase(chase, samples);
}

} // namespace

ProbeResult probe_tmmodel_walks(Target& target, const Known&, const ProbeOptions& options)
{
    CalibrationOptions plan;
    plan.walks = options.walks;
    plan.seed = options.seed;
    const std::vector<std::vector<Texel>> walks = calibration_walks(plan);

    ProbeResult result;
    result.given = walks_given(plan, walks);
    ProbeCurve curve{std::string(walks_curve), "walk", "latency of an access [ns]"};
    std::vector<double> medians;
    Chase chase;
    chase.extent = plan.extent;
    chase.route = Route::listed;
    for (std::size_t i = 0; i < walks.size(); ++i) {
        check_stop(options.stop);
        chase.walk = walks[i];
        curve.points.push_back({static_cast<double>(i), target.chase(chase, options.samples)});
        medians.push_back(median(curve.points.back()));
    }
    result.curves.push_back(std::move(curve));

    // A walk that comes from a list has the list's own cost in every read; chasing a single texel
    // either way shows how much that is.
    ProbeCurve routes{"routes", "0: linked, 1: listed", "latency of a hit [ns]"};
    routes.points = {{0, hits(target, Route::in_texels, options.samples)},
                     {1, hits(target, Route::listed, options.samples)}};
    const double linked = median(routes.points[0]);
    const double listed = median(routes.points[1]);
    result.curves.push_back(std::move(routes));

    const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
    result.findings.push_back(
        {"walks.latency", median(medians), "ns",
         fmt::format("median of {} walks of {} accesses; from the quickest to the slowest walk",
                     walks.size(), plan.steps),
         std::pair(*least, *most)});
    result.findings.push_back(
        {"walks.list_adds", listed - linked, "ns",
         fmt::format(
             "a hit takes {:.4g} ns by a list in constant memory, {:.4g} ns where the texel "
             "itself holds the next place",
             listed, linked)});
    if (!target.info().simulated) {
        result.notes.push_back("every launch goes the walk elsewhere in an image of 16 MiB: a "
                               "second-level cache that is "
                               "larger still answers, and what memory would cost is not seen");
    }
    return result;
}

} // namespace texelscope::workbench::probes
