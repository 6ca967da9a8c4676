#include "experiments/tuning/reuse_profile.hpp"

#include "sim/reuse/lookup_walk.hpp"
#include "sim/reuse/stack_distance.hpp"
#include "sim/schedule/round_robin.hpp"

#include <algorithm>
#include <vector>

namespace texelscope::experiments {
namespace {

/// The lookups of one core, access by access.
struct CoreLookups {
    std::vector<std::int32_t> lines;
    std::vector<std::size_t> ends; ///< of each access that touches memory
    std::size_t next = 0;          ///< access that has not had its turn
};

} // namespace

ReuseProfile reuse_profile(const TraceSource& source, const SimulationOptions& options, const ReuseExtent& extent,
                           const StopToken& stop)
{
    LookupWalk walk(source, options, stop);
    ReuseProfile profile;
    profile.cores = options.has_l2() ? std::clamp(extent.cores, 1, options.cores) : 1;
    const LookupWalk::Bounds bounds{extent.accesses, extent.occupancy_groups};
    StackDistanceCounter l1(walk.line_count());
    std::vector<CoreLookups> cores(static_cast<std::size_t>(profile.cores));
    for (int core = 0; core < profile.cores; ++core) {
        CoreLookups& lookups = cores[static_cast<std::size_t>(core)];
        const std::int64_t accesses = walk.run(
            core,
            [&](std::size_t, const LineList& lines) {
                if (core == 0) {
                    l1.access_all(lines);
                }
                if (options.has_l2()) {
                    for (const std::int32_t delta : lines.deltas) {
                        lookups.lines.push_back(static_cast<std::int32_t>(lines.first + delta));
                    }
                    lookups.ends.push_back(lookups.lines.size());
                }
            },
            bounds);
        if (core == 0) {
            profile.accesses = accesses;
        }
    }
    profile.l1 = l1.histogram();
    if (!options.has_l2()) {
        return profile;
    }
    const std::int64_t ratio = std::max<std::int64_t>(options.l2.line / options.l1.line, 1);
    StackDistanceCounter l2(walk.line_count() / ratio + 1);
    round_robin(cores.size(), [&](std::size_t core) {
        CoreLookups& lookups = cores[core];
        if (lookups.next == lookups.ends.size()) {
            return false;
        }
        const std::size_t begin = lookups.next == 0 ? 0 : lookups.ends[lookups.next - 1];
        for (std::size_t i = begin; i < lookups.ends[lookups.next]; ++i) {
            (void)l2.access(lookups.lines[i] / ratio);
        }
        ++lookups.next;
        return true;
    });
    profile.l2 = l2.histogram();
    return profile;
}

} // namespace texelscope::experiments
