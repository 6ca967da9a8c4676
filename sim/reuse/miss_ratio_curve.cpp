#include "sim/reuse/miss_ratio_curve.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::sim {

std::int64_t MissRatioCurve::misses(std::int64_t lines) const
{
    if (lines < 0 || lines > limit.value_or(lines)) {
        throw bad_input(
            limit ? fmt::format("the curve is known from 0 to {} lines, not at {}", *limit, lines)
                  : fmt::format("a cache cannot have {} lines", lines),
            "miss-ratio curve", "ask within the range");
    }
    // The curve is a staircase: its value is that of the last step at or before `lines`.
    const auto after =
        std::upper_bound(points.begin(), points.end(), lines,
                         [](std::int64_t at, const Point& point) { return at < point.lines; });
    return after == points.begin() ? 0 : std::prev(after)->misses;
}

double MissRatioCurve::miss_ratio(std::int64_t lines) const
{
    return lookups == 0 ? 0 : static_cast<double>(misses(lines)) / static_cast<double>(lookups);
}

MissRatioCurve miss_ratio_curve(const ReuseDistanceHistogram& histogram)
{
    MissRatioCurve curve;
    curve.lookups = histogram.lookups();
    if (histogram.deeper > 0) {
        curve.limit = static_cast<std::int64_t>(histogram.counts.size());
    }
    std::int64_t misses = curve.lookups;
    curve.points.push_back({0, misses});
    for (std::size_t distance = 0; distance < histogram.counts.size(); ++distance) {
        if (histogram.counts[distance] > 0) { // hits from a capacity of distance + 1 on
            misses -= histogram.counts[distance];
            curve.points.push_back({static_cast<std::int64_t>(distance) + 1, misses});
        }
    }
    return curve;
}

} // namespace texelscope::sim
