// What TMModel says of figure 5, as predicates over the data. The paper makes its statements in
// words; the bounds that decide them here are ours.

#include "experiments/tmmodel/occupancy_waves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace texelscope::experiments {
namespace {

using WaveSeries = OccupancyWaves::Series;
using WavePoint = OccupancyWaves::Point;

constexpr double same_within = 0.10; ///< "the same": within 10 %
/// "linear": coefficient of determination of the line of least squares.
constexpr double straight = 0.95;
/// "a step": at least half of the first occupancy group's time.
constexpr double least_step = 0.5;
constexpr std::size_t least_for_line = 3; ///< through fewer points a line always goes well

/// Least and greatest of the values added so far.
struct Spread {
    std::optional<double> least;
    std::optional<double> most;

    void add(double value)
    {
        least = std::min(least.value_or(value), value);
        most = std::max(most.value_or(value), value);
    }
    [[nodiscard]] explicit operator bool() const { return least.has_value(); }
    [[nodiscard]] std::string percent() const
    {
        const std::string low = fmt::format("{:.0f}", 100 * *least);
        const std::string high = fmt::format("{:.0f}", 100 * *most);
        return (low == high ? low : low + " to " + high) + " %";
    }
};

int warps_of(const WaveSeries& series)
{
    return static_cast<int>(series.points.size());
}
const WavePoint& at(const WaveSeries& series, int warps)
{
    return series.points[static_cast<std::size_t>(warps) - 1];
}
/// Warps of the first occupancy group in the largest work-group.
int first_group(const WaveSeries& series)
{
    return std::min(series.occupancy, warps_of(series));
}
/// Occupancy groups that so many warps make: rounded up.
int groups_of(const WaveSeries& series, int warps)
{
    return (warps + series.occupancy - 1) / series.occupancy;
}

/// Coefficient of determination of the line of least squares through the miss rates over `x`; 1
/// where they are constant.
template <class X>
double straightness(std::span<const WavePoint> points, const X& x)
{
    double mean_x = 0;
    double mean_y = 0;
    for (const WavePoint& point : points) {
        mean_x += x(point) / static_cast<double>(points.size());
        mean_y += point.miss_rate / static_cast<double>(points.size());
    }
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (const WavePoint& point : points) {
        const double dx = x(point) - mean_x;
        const double dy = point.miss_rate - mean_y;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    return yy > 0 && xx > 0 ? xy * xy / (xx * yy) : 1;
}

/// "unroll 1: TEXT; unroll 4: TEXT" over the series that have something to say.
template <class Text>
std::string each_series(const OccupancyWaves& data, const Text& text)
{
    std::string out;
    for (const WaveSeries& series : data.series) {
        if (const std::string words = text(series); !words.empty()) {
            out += fmt::format("{}unroll {}: {}", out.empty() ? "" : "; ", series.unroll, words);
        }
    }
    return out;
}

/// Warps of one group read the same data, so that one's miss is the others' hit.
Finding misses_fall(const OccupancyWaves& data)
{
    bool any = false;
    bool falling = true;
    for (const WaveSeries& series : data.series) {
        // Only up to the occupancy: beyond it warps wait, and the rate rises again.
        for (int warps = 2; warps <= first_group(series); ++warps) {
            any = true;
            falling = falling && at(series, warps).miss_rate < at(series, warps - 1).miss_rate;
        }
    }
    return {"the L1 miss rate falls with each warp up to the occupancy",
            "it decreases (section 3.2.2)",
            each_series(data,
                        [](const WaveSeries& s) {
                            const int warps = first_group(s);
                            return fmt::format("{:.1f} to {:.1f} % up to warp {}",
                                               100 * at(s, 1).miss_rate,
                                               100 * at(s, warps).miss_rate, warps);
                        }),
            any ? verdict_of(falling) : Verdict::not_tested};
}

Finding fall_is_linear(const OccupancyWaves& data)
{
    Spread line;
    Spread inverse;
    for (const WaveSeries& series : data.series) {
        const auto points =
            std::span(series.points).first(static_cast<std::size_t>(first_group(series)));
        if (points.size() >= least_for_line) {
            line.add(straightness(points,
                                  [](const WavePoint& p) { return static_cast<double>(p.warps); }));
            // What the simulator gives instead: of n warps that read in step one misses, 1 / n.
            inverse.add(straightness(points, [](const WavePoint& p) { return 1.0 / p.warps; }));
        }
    }
    Finding finding{
        "that fall is linear in the warps: a line explains 95 % of the variance",
        "linear (section 3.2.2)", "fewer than three warps at a time", Verdict::not_tested,
        "wording: where n warps read the same data in step, one of them misses, which is 1 over n; "
        "no cache makes that a line"};
    if (line) {
        finding.ours = fmt::format("a line explains {}, one over the warps {}", line.percent(),
                                   inverse.percent());
        finding.verdict = verdict_of(*line.least >= straight);
    }
    return finding;
}

/// Calls `visit(series, multiple)` for each multiple of the occupancy that a larger work-group
/// exceeds.
template <class Visit>
void over_multiples(const OccupancyWaves& data, const Visit& visit)
{
    for (const WaveSeries& series : data.series) {
        for (int multiple = series.occupancy; multiple < warps_of(series);
             multiple += series.occupancy) {
            visit(series, multiple);
        }
    }
}

constexpr const char* never_exceeded = "no work-group exceeds the occupancy";

/// The first warp of a further group runs almost alone, and misses what a group would have shared.
Finding misses_rise_past_multiples(const OccupancyWaves& data)
{
    int multiples = 0;
    int rises = 0;
    over_multiples(data, [&](const WaveSeries& s, int multiple) {
        ++multiples;
        rises += at(s, multiple + 1).miss_rate > at(s, multiple).miss_rate ? 1 : 0;
    });
    return {"the miss rate rises with the first warp past each multiple of the occupancy",
            "it initially increases (section 3.2.2)",
            multiples == 0 ? never_exceeded
                           : fmt::format("at {} of {} multiples", rises, multiples),
            multiples == 0 ? Verdict::not_tested : verdict_of(rises == multiples)};
}

Finding misses_wave(const OccupancyWaves& data)
{
    int waves = 0;
    bool lowest_at_end = true;
    Spread troughs;
    over_multiples(data, [&](const WaveSeries& s, int multiple) {
        const int end = multiple + s.occupancy;
        // A wave counts if it is whole, and if there is more than its end.
        if (end > warps_of(s) || s.occupancy < 2) {
            return;
        }
        ++waves;
        for (int warps = multiple + 1; warps < end; ++warps) {
            lowest_at_end = lowest_at_end && at(s, warps).miss_rate > at(s, end).miss_rate;
        }
        const double first = at(s, s.occupancy).miss_rate;
        const double here = at(s, end).miss_rate;
        troughs.add(first > 0 ? here / first : here > 0 ? 2.0 : 1.0);
    });
    Finding finding{"then it falls back to its lowest at the next multiple, in waves",
                    "it drops to its lowest point, forming a recurring wave (section 3.2.2)",
                    "no second wave is whole"};
    if (waves > 0) {
        finding.ours = fmt::format(
            "{} wave{}, {} at the end, where the rate is {} of the first trough's", waves,
            waves == 1 ? "" : "s", lowest_at_end ? "lowest" : "not lowest", troughs.percent());
        finding.verdict = verdict_of(lowest_at_end && *troughs.least >= 1 - same_within &&
                                     *troughs.most <= 1 + same_within);
    }
    return finding;
}

/// A further group starts when the one before has ended, which costs its whole time.
Finding time_steps(const OccupancyWaves& data)
{
    Spread steps;
    over_multiples(data, [&](const WaveSeries& s, int multiple) {
        steps.add((at(s, multiple + 1).time - at(s, multiple).time) / at(s, s.occupancy).time);
    });
    Finding finding{"the time steps up past each multiple of the occupancy, by half of an "
                    "occupancy group's or more",
                    "a stepped latency curve (section 3.2.2)", never_exceeded, Verdict::not_tested,
                    "profile: measured kernels leave room for twice as many warps, each with 16 "
                    "reads under way; it holds with registers.per_core=49152 and "
                    "issue.reads_in_flight=8"};
    if (steps) {
        finding.ours = fmt::format("steps of {} of the first group's time", steps.percent());
        finding.verdict = verdict_of(*steps.least >= least_step);
    }
    return finding;
}

/// Compared with the first warp of a group running alone.
Finding time_is_flat_between(const OccupancyWaves& data)
{
    Spread rise;
    for (const WaveSeries& series : data.series) {
        // A group of warps that run together takes the time of its slowest, so its size should not
        // matter.
        for (int start = 1; start < warps_of(series); start += series.occupancy) {
            const int end = std::min(start + series.occupancy - 1, warps_of(series));
            for (int warps = start + 1; warps <= end; ++warps) {
                rise.add(std::abs(at(series, warps).time / at(series, start).time - 1));
            }
        }
    }
    Finding finding{
        "between the steps the time is the same, within 10 %",
        "warps of one occupancy group execute concurrently (section 3.2.2)", "one warp at a time",
        Verdict::not_tested,
        "set-up, probably: the paper does not give its function; the 16 multiply-adds for each "
        "read that are assumed here fill the ALUs before all warps of a group are there"};
    if (rise) {
        finding.ours = fmt::format("at most {:.1f} % away from the group's first warp alone",
                                   100 * *rise.most);
        finding.verdict = verdict_of(*rise.most <= same_within);
    }
    return finding;
}

/// Time over that of one full group times the number of groups.
Finding groups_are_serial(const OccupancyWaves& data)
{
    Spread ratio;
    for (const WaveSeries& series : data.series) {
        for (int warps = series.occupancy + 1; warps <= warps_of(series); ++warps) {
            ratio.add(at(series, warps).time /
                      (at(series, series.occupancy).time * groups_of(series, warps)));
        }
    }
    Finding finding{"the time is that of one occupancy group times their number, within 10 %",
                    "linear in the occupancy groups, which run serially (section 3.2.2)",
                    never_exceeded, Verdict::not_tested,
                    "simulator, probably: a later group finds some of the data in the L2"};
    if (ratio) {
        finding.ours = ratio.percent() + " of that";
        finding.verdict =
            verdict_of(*ratio.least >= 1 - same_within && *ratio.most <= 1 + same_within);
    }
    return finding;
}

/// The most unrolled kernel against the least unrolled one. Unrolling helps a single warp, whose
/// reads overlap, but takes registers, so that fewer warps fit.
Finding unrolling(const OccupancyWaves& data, int warps, bool gains, const char* claim,
                  const char* paper, const char* why = "")
{
    Finding finding{claim, paper, "one unrolling, or one warp, only", Verdict::not_tested, why};
    const WaveSeries& least = data.series.front();
    const WaveSeries& most = data.series.back();
    if (data.series.size() > 1 && (gains || warps > 1)) {
        const double ratio = at(most, warps).time / at(least, warps).time;
        finding.ours =
            fmt::format("unroll {} takes {:.1f} % of the time of unroll {} with {} warp{}",
                        most.unroll, 100 * ratio, least.unroll, warps, warps == 1 ? "" : "s");
        // Less than 1 % is neither a gain nor a loss.
        constexpr double noticeable = 0.01;
        finding.verdict = verdict_of(gains ? ratio <= 1 - noticeable : ratio >= 1 + noticeable);
    }
    return finding;
}

} // namespace

std::vector<Finding> occupancy_waves_findings(const OccupancyWaves& data)
{
    return {
        misses_fall(data),
        fall_is_linear(data),
        misses_rise_past_multiples(data),
        misses_wave(data),
        time_steps(data),
        time_is_flat_between(data),
        groups_are_serial(data),
        unrolling(data, 1, true, "unrolling speeds a single warp up, by 1 % or more",
                  "it improves performance per thread (section 3.2.2)"),
        unrolling(data, warps_of(data.series.front()), false,
                  "with the largest work-group, unrolling slows the kernel down, by 1 % or more",
                  "it decreases the occupancy and can reduce overall performance (section 3.2.2)",
                  "simulator: up to 16 unrolled reads are under way together, which gains "
                  "more than the lost warps cost; it holds with issue.reads_in_flight=1")};
}

} // namespace texelscope::experiments
