#include "experiments/tmmodel/warp_level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace texelscope::experiments {
namespace {

constexpr double told = 0.5;         ///< "tells the slowdowns": R2 of held-out warps, our bound
constexpr std::uint64_t splits = 21; ///< into training and held-out warps

std::vector<model::ThrashSample> samples_of(const std::vector<WarpLevelPoint>& points,
                                            std::int64_t most_exponent)
{
    std::vector<model::ThrashSample> samples;
    for (const WarpLevelPoint& point : points) {
        samples.push_back(point.sample);
        samples.back().exponent = std::min(samples.back().exponent, most_exponent);
    }
    return samples;
}

std::vector<WarpLevelPoint> points_of(const WarpScaling& data)
{
    std::vector<WarpLevelPoint> points;
    for (const WarpScaling::Series& series : data.series) {
        for (const WarpScaling::Point& point : series.points) {
            if (point.threads > 1) {
                const model::WarpInput input{point.threads, series.pattern.reuse_distance};
                // Throughput falls to a share of perfect scaling as latency rises to its inverse.
                points.push_back(
                    {series.pattern,
                     point.threads,
                     {model::thrash_exponent({&input, 1}, data.cache_lines), 1 / point.share}});
            }
        }
    }
    return points;
}

/// The fit whose R2 of held-out warps is the median of those of many splits: with few warps, one
/// split alone says little.
model::ThrashDecay median_fit(const std::vector<model::ThrashSample>& samples)
{
    std::vector<model::ThrashDecay> fits;
    for (std::uint64_t seed = 1; seed <= splits; ++seed) {
        fits.push_back(model::fit_thrash_decay(samples, seed));
    }
    std::ranges::sort(fits, {}, [](const model::ThrashDecay& fit) { return fit.held_out.r2; });
    return fits[fits.size() / 2];
}

/// "1.60 to 1.73" of the warps with this exponent.
std::string slowdowns_at(const std::vector<WarpLevelPoint>& points, std::int64_t exponent)
{
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const WarpLevelPoint& point : points) {
        if (point.sample.exponent == exponent) {
            least = std::min(least, point.sample.slowdown);
            most = std::max(most, point.sample.slowdown);
        }
    }
    return fmt::format("{:.2f} to {:.2f}", least, most);
}

} // namespace

WarpLevel warp_level_of(const WarpScaling& data)
{
    WarpLevel level{points_of(data), {}, {}};
    constexpr std::size_t fewest = 4; // of fit_thrash_decay()
    if (level.points.size() >= fewest) {
        constexpr auto any = std::numeric_limits<std::int64_t>::max();
        level.power = median_fit(samples_of(level.points, any));
        level.step = median_fit(samples_of(level.points, 1));
    }
    return level;
}

Finding warp_level_finding(const WarpLevel& level)
{
    Finding finding{
        fmt::format("D to the exponent of equation 2 tells how much slower a warp is than one of "
                    "its threads: R2 of held-out warps above {}, median of {} splits",
                    told, splits),
        "L_w = L_t D^ceil((s |W| - C) / C), D a constant of the GPU (section 4, equation 2)",
        "no warp exceeds the lines of L1", Verdict::not_tested,
        "model: a slowdown is a step. Once a warp's lines exceed the L1 nothing hits, and more of "
        "them change nothing, so that the fit of a power leaves D near 1 and tells neither. It "
        "holds with the exponent cut at 1"};
    std::int64_t most = 0;
    for (const WarpLevelPoint& point : level.points) {
        most = std::max(most, point.sample.exponent);
    }
    if (most < 2) { // a power of 1 at most is a step
        return finding;
    }
    finding.ours = fmt::format(
        "D {:.2f}, R2 {:.2f}: slowdowns of {} at exponent 0, {} at 1, {} at {}. As a step: D "
        "{:.2f}, R2 {:.2f}",
        level.power.d, level.power.held_out.r2, slowdowns_at(level.points, 0),
        slowdowns_at(level.points, 1), slowdowns_at(level.points, most), most, level.step.d,
        level.step.held_out.r2);
    finding.verdict = verdict_of(level.power.held_out.r2 > told);
    return finding;
}

ExperimentResult::FurtherTable warp_level_table(const WarpLevel& level)
{
    ResultTable table{{"pattern", "threads", "exponent", "slowdown", "power", "step"}, {}};
    for (const WarpLevelPoint& point : level.points) {
        const std::int64_t exponent = point.sample.exponent;
        table.rows.push_back({std::string(point.pattern.name), std::int64_t{point.threads},
                              exponent, point.sample.slowdown, level.power.slowdown(exponent),
                              level.step.slowdown(std::min<std::int64_t>(exponent, 1))});
    }
    return {"warp-level", "slowdown of a warp, and what equation 2 says", std::move(table)};
}

} // namespace texelscope::experiments
