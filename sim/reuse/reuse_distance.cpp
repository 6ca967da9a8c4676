// Stack distances of a launch's L1 lookups, each core by itself: once with all images in one cache,
// and once for each image as if it had a cache of its own.

#include "sim/reuse/reuse_distance.hpp"

#include "base/error.hpp"
#include "sim/reuse/bounded_distance.hpp"
#include "sim/reuse/lookup_walk.hpp"
#include "sim/reuse/stack_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace texelscope::sim {
namespace {

/// `make(lines)` gives a counter for so many line numbers.
template <class Make>
ReuseDistances count_core(LookupWalk& walk, int core, std::size_t image_count, const Make& make)
{
    auto together = make(walk.line_count());
    std::vector<decltype(together)> apart;
    std::vector<std::int64_t> first_lines;
    for (std::size_t image = 0; image_count > 1 && image < image_count; ++image) {
        const LookupWalk::LineRange lines = walk.lines_of(image);
        apart.push_back(make(lines.end - lines.first));
        first_lines.push_back(lines.first);
    }
    walk.run(core, [&](std::size_t image, const LineList& lines) {
        together.access_all(lines);
        if (!apart.empty()) {
            LineList own = lines;
            own.first -= first_lines[image];
            apart[image].access_all(own);
        }
    });
    ReuseDistances distances{together.histogram(), {}};
    for (const auto& counter : apart) {
        distances.images.push_back(counter.histogram());
    }
    if (image_count == 1) { // alone anyway
        distances.images.push_back(distances.together);
    }
    return distances;
}

} // namespace

ReuseDistanceHistogram& ReuseDistanceHistogram::operator+=(const ReuseDistanceHistogram& other)
{
    counts.resize(std::max(counts.size(), other.counts.size()), 0);
    std::transform(other.counts.begin(), other.counts.end(), counts.begin(), counts.begin(),
                   std::plus<>());
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
        throw bad_input(
            fmt::format("distances were counted up to {} lines, and a cache of {} is larger", known,
                        lines),
            "reuse distances", "count them to a larger depth, or to any");
    }
    const std::int64_t first = std::clamp<std::int64_t>(lines, 0, known);
    return std::accumulate(counts.begin() + first, counts.end(), first_touches + deeper);
}

ReuseDistances& ReuseDistances::operator+=(const ReuseDistances& other)
{
    together += other.together;
    images.resize(std::max(images.size(), other.images.size()));
    for (std::size_t image = 0; image < other.images.size(); ++image) {
        images[image] += other.images[image];
    }
    return *this;
}

ReuseDistances reuse_distances(const TraceSource& source, const SimulationOptions& options,
                               std::optional<int> depth, const StopToken& stop)
{
    LookupWalk walk(source, options, stop);
    const std::size_t images = source.images().size();
    ReuseDistances sum;
    for (int core = 0; core < options.machine.cores; ++core) {
        sum += depth ? count_core(walk, core, images,
                                  [&](std::int64_t lines) {
                                      return BoundedDistanceCounter(lines, *depth);
                                  })
                     : count_core(walk, core, images,
                                  [](std::int64_t lines) { return StackDistanceCounter(lines); });
    }
    return sum;
}

} // namespace texelscope::sim
