// What TMModel says of figure 4, as predicates over the data. Figures that the paper's text gives
// are quoted; statements in words are decided by the bounds below, which are ours.

#include "base/lists.hpp"
#include "experiments/tmmodel/warp_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace texelscope::experiments {
namespace {

using ScalingSeries = WarpScaling::Series;

constexpr double figure_within = 0.10;       ///< "the paper's figure": within 10 %
constexpr double scales = 1 - figure_within; ///< "scales": at least this share of perfect scaling
constexpr int few = 8;                       ///< "few threads": up to an eighth of the warp

bool is_block(const ScalingSeries& series)
{
    return series.pattern.block_rows > 1;
}

const ScalingSeries* find(const WarpScaling& data, std::string_view name)
{
    const auto found = std::ranges::find(data.series, name,
                                         [](const ScalingSeries& one) { return one.pattern.name; });
    return found == data.series.end() ? nullptr : &*found;
}

int full_warp(const WarpScaling& data)
{
    return data.series.front().points.back().threads;
}

/// "column 1, row 1.13": one number for each series.
template <class Text>
std::string each(const WarpScaling& data, const Text& text)
{
    return joined(data.series, [&](const ScalingSeries& series) {
        return fmt::format("{} {}", series.pattern.name, text(series));
    });
}

/// The least number of threads at which the pattern no longer scales; nothing where it does up to
/// the whole warp.
std::optional<int> breaking_point(const ScalingSeries& series)
{
    for (const WarpScaling::Point& point : series.points) {
        if (point.share < scales) {
            return point.threads;
        }
    }
    return std::nullopt;
}

/// The least measured number of threads that use more lines than the L1 has: s * threads > C, with
/// the reuse distance s (section 4).
std::optional<int> overflow_point(const ScalingSeries& series, std::int64_t cache_lines)
{
    for (const WarpScaling::Point& point : series.points) {
        if (std::int64_t{series.pattern.reuse_distance} * point.threads > cache_lines) {
            return point.threads;
        }
    }
    return std::nullopt;
}

std::string threads_text(std::optional<int> threads)
{
    return threads ? fmt::format("at {}", *threads) : "never";
}

/// The pattern with the highest throughput at one number of threads.
const ScalingSeries& fastest(const WarpScaling& data, std::size_t point)
{
    return *std::ranges::max_element(data.series, {}, [&](const ScalingSeries& series) {
        return series.points[point].texels_per_ns;
    });
}

Finding single_thread_gain(const WarpScaling& data, std::string_view name, double paper,
                           const char* why = "")
{
    Finding finding{fmt::format("one thread of {} gains over column what the paper gives, within "
                                "10 % and at least half of the gain",
                                name),
                    fmt::format("{:.2f} times column (figure 4)", paper), "not measured",
                    Verdict::not_tested, why};
    // Both near the paper's figure and a real gain: 1.08 is within 10 % of 1.00, too.
    if (const ScalingSeries* series = find(data, name)) {
        const double ours = series->points.front().normalised;
        finding.ours =
            fmt::format("{:.2f} times column ({:+.0f} %)", ours, 100 * (ours / paper - 1));
        finding.verdict =
            verdict_of(std::abs(ours / paper - 1) <= figure_within && ours - 1 >= (paper - 1) / 2);
    }
    return finding;
}

/// In the order of the series: column, row, block2, block4.
Finding larger_blocks_are_faster(const WarpScaling& data)
{
    bool rising = true;
    for (std::size_t i = 1; i < data.series.size(); ++i) {
        rising = rising && data.series[i].points.front().normalised >
                               data.series[i - 1].points.front().normalised;
    }
    return {"one thread is faster the larger its blocks: column < row < block2 < block4",
            "1 < 1.08 < 1.35 < 1.79 (figure 4)",
            each(data,
                 [](const ScalingSeries& s) {
                     return fmt::format("{:.2f}", s.points.front().normalised);
                 }),
            verdict_of(rising),
            "profile: a line of the L1 is two texels side by side (as in the paper's figure 3), so "
            "that half of the reads of any block pattern hit, however high. With L2 lines of 256 "
            "B, block4 gains over block2, but 1.34 to 1.27"};
}

/// Why a single thread gains more than the paper says.
constexpr const char* l1_is_near =
    "profile: by measured kernels the L1 can be anywhere from 27 to 86 cycles away; the best "
    "machine has it at 27. It holds with latency.l1=51";

/// Why column loses more of a warp's scaling than the paper says.
constexpr const char* memory_is_near =
    "profile: what a warp's lookups take is seen beside a memory that is 205 cycles away; by "
    "measured kernels it can be 158 to 260, and it holds with latency.memory=250";

Finding column_scales(const WarpScaling& data)
{
    Finding finding{
        "column scales with the whole warp: at least 90 % of perfect scaling",
        "reuse distance 0, so the threads never thrash the cache (sections 3.2.1 and 4)",
        "a warp of one thread", Verdict::not_tested, memory_is_near};
    const ScalingSeries* column = find(data, "column");
    if (column != nullptr && full_warp(data) > 1) {
        const WarpScaling::Point& last = column->points.back();
        finding.ours = fmt::format("{:.0f} % at {} threads", 100 * last.share, last.threads);
        finding.verdict = verdict_of(last.share >= scales);
    }
    return finding;
}

Finding reuse_distance_limits(const WarpScaling& data)
{
    Finding finding{
        "the larger the reuse distance, the fewer threads until a pattern falls below 90 % of "
        "perfect "
        "scaling",
        "block patterns deteriorate quicker as the threads grow (section 3.2.1)",
        each(data, [](const ScalingSeries& s) { return threads_text(breaking_point(s)); }),
        Verdict::not_tested};
    // A pattern that scales up to the whole warp breaks later than any other.
    constexpr int never = std::numeric_limits<int>::max();
    bool falling = true;
    bool any = false;
    for (std::size_t i = 1; i < data.series.size(); ++i) {
        const std::optional<int> here = breaking_point(data.series[i]);
        falling =
            falling && here.value_or(never) < breaking_point(data.series[i - 1]).value_or(never);
        any = any || here;
    }
    if (any) {
        finding.verdict = verdict_of(falling);
    }
    return finding;
}

Finding cache_lines_limit(const WarpScaling& data)
{
    Finding finding{"a pattern falls below 90 % of perfect scaling as soon as reuse distance x "
                    "threads exceeds the "
                    "lines of L1, and no sooner",
                    "thrashing where s x |W| > C (section 4)",
                    each(data,
                         [&](const ScalingSeries& s) {
                             return fmt::format("{} (lines exceeded {})",
                                                threads_text(breaking_point(s)),
                                                threads_text(overflow_point(s, data.cache_lines)));
                         }),
                    Verdict::not_tested, memory_is_near};
    bool any = false;
    bool same = true;
    for (const ScalingSeries& series : data.series) {
        const std::optional<int> overflow = overflow_point(series, data.cache_lines);
        any = any || overflow;
        same = same && overflow == breaking_point(series);
    }
    if (any) {
        finding.verdict = verdict_of(same);
    }
    return finding;
}

/// The best block pattern against the worse of column and row, as shares of perfect scaling.
Finding blocks_scale_least(const WarpScaling& data)
{
    double least_other = std::numeric_limits<double>::infinity();
    double most_block = 0;
    for (const ScalingSeries& series : data.series) {
        if (is_block(series)) {
            most_block = std::max(most_block, series.points.back().share);
        } else {
            least_other = std::min(least_other, series.points.back().share);
        }
    }
    Finding finding{
        "with the whole warp, block patterns keep less of perfect scaling than column and row",
        "block patterns deteriorate quicker as the threads grow (section 3.2.1)",
        each(data,
             [](const ScalingSeries& s) {
                 return fmt::format("{:.0f} %", 100 * s.points.back().share);
             }),
        Verdict::not_tested};
    if (full_warp(data) > 1) {
        finding.verdict = verdict_of(most_block < least_other);
    }
    return finding;
}

/// At every measured number of threads up to an eighth of the warp.
Finding few_threads_favour_blocks(const WarpScaling& data)
{
    const auto& points = data.series.front().points;
    bool holds = true;
    std::string ours;
    for (std::size_t i = 0;
         i < points.size() && points[i].threads <= std::max(1, full_warp(data) / few); ++i) {
        const ScalingSeries& best = fastest(data, i);
        holds = holds && is_block(best);
        ours += fmt::format("{}{} at {}", ours.empty() ? "" : ", ", best.pattern.name,
                            points[i].threads);
    }
    return {"with few threads, up to an eighth of the warp, a block pattern is the fastest",
            "block patterns suit few threads (section 3.2.1)", "fastest: " + ours,
            verdict_of(holds)};
}

Finding whole_warp_favours_small_distance(const WarpScaling& data)
{
    Finding finding{
        "with the whole warp, column or row is the fastest",
        "patterns of smaller reuse distance have the potential as the threads grow (section 3.2.1)",
        each(data,
             [](const ScalingSeries& s) {
                 return fmt::format("{:.1f}", s.points.back().normalised);
             }),
        Verdict::not_tested,
        "profile: what the L1 loses the L2 has, little farther, as on the Adreno 640; it holds "
        "with latency.l2=196"};
    if (full_warp(data) > 1) {
        finding.verdict =
            verdict_of(!is_block(fastest(data, data.series.front().points.size() - 1)));
    }
    return finding;
}

} // namespace

std::vector<Finding> warp_scaling_findings(const WarpScaling& data)
{
    return {larger_blocks_are_faster(data),
            single_thread_gain(data, "row", 1.08, l1_is_near),
            single_thread_gain(data, "block2", 1.35, l1_is_near),
            single_thread_gain(data, "block4", 1.79,
                               "profile: with L1 lines of two texels half of the reads miss"),
            column_scales(data),
            reuse_distance_limits(data),
            cache_lines_limit(data),
            blocks_scale_least(data),
            few_threads_favour_blocks(data),
            whole_warp_favours_small_distance(data)};
}

} // namespace texelscope::experiments
