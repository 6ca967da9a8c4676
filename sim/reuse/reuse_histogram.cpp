#include "sim/reuse/reuse_histogram.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace texelscope::sim {

ReuseDistanceHistogram& ReuseDistanceHistogram::operator+=(const ReuseDistanceHistogram& other)
{
    counts.resize(std::max(counts.size(), other.counts.size()), 0);
    std::transform(other.counts.begin(), other.counts.end(), counts.begin(), counts.begin(), std::plus<>());
    deeper += other.deeper;
    first_touches += other.first_touches;
    return *this;
}

std::int64_t ReuseDistanceHistogram::lookups() const
{
    return std::accumulate(counts.begin(), counts.end(), first_touches + deeper);
}

std::int64_t ReuseDistanceHistogram::misses(std::int64_t lines) const
{
    const auto known = static_cast<std::int64_t>(counts.size());
    if (lines > known && deeper > 0) {
        throw bad_input(fmt::format("distances were counted up to {} lines, and a cache of {} is larger", known, lines),
                        "reuse distances", "count them to a larger depth, or to any");
    }
    const std::int64_t first = std::clamp<std::int64_t>(lines, 0, known);
    return std::accumulate(counts.begin() + first, counts.end(), first_touches + deeper);
}

} // namespace texelscope::sim
