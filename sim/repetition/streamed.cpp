// Simulates sources without access functions, untimed and without jumps: warps are read access by
// access. A native trace repeats the lanes of its accesses (RepeatedLanes), which saves coalescing
// them anew.

#include "sim/repetition/streamed.hpp"

#include "sim/memory/coalescer.hpp"
#include "sim/memory/line_patterns.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "sim/schedule/untimed.hpp"

#include <optional>

namespace texelscope::sim {
namespace {

/// Simulates accesses whose lanes are repeated, moved as a whole. They are coalesced once for every
/// place in the storage layout (LinePatterns).
class RepeatedAccesses {
public:
    RepeatedAccesses(MemoryHierarchy& memory, const SimulationOptions& options)
        : memory_(memory), patterns_(memory.images(), options, shapes_),
          miss_kinds_(options.mode.miss_kinds)
    {}

    void access(int core, WarpId warp, const WarpAccess& access)
    {
        RepeatedLanes& repeated = *access.repeated;
        if (repeated.number == unknown) {
            repeated.number = number_of(repeated.lanes);
        }
        const auto lanes = static_cast<std::int64_t>(repeated.lanes.size());
        const LaneRead& first = repeated.lanes.front();
        if (repeated.number == no_shape || !is_near(access.shift)) {
            memory_.access(core, warp, moved(access));
            return;
        }
        const Texel place{first.texel.x + access.shift.x, first.texel.y + access.shift.y};
        const LinePatterns::Placed found = patterns_.find(first.image, repeated.number, place);
        const LinePattern& pattern = *found.pattern;
        if (miss_kinds_) {
            memory_.touch(core, first.image, found.lines());
        }
        memory_.access(core, first.image, found.lines(), pattern.texel_reads,
                       lanes - pattern.texel_reads);
    }

private:
    // Values of RepeatedLanes::number that are no number of a shape.
    static constexpr int unknown = -1; ///< not looked at yet
    /// The lanes have no shape: they read several images, or texels so far away that differences
    /// would overflow.
    static constexpr int no_shape = -2;

    static bool is_near(Texel texel)
    {
        constexpr std::int32_t far = std::int32_t{1} << 28;
        return texel.x > -far && texel.x < far && texel.y > -far && texel.y < far;
    }

    /// The number of the lanes' shape, or no_shape.
    int number_of(std::span<const LaneRead> lanes)
    {
        std::vector<std::int32_t> x;
        std::vector<std::int32_t> y;
        for (const LaneRead& read : lanes) {
            if (read.image != lanes.front().image || !is_near(read.texel)) {
                return no_shape;
            }
            x.push_back(read.texel.x);
            y.push_back(read.texel.y);
        }
        return shapes_.number(x, y);
    }

    /// The access with its lanes spelled out.
    const WarpAccess& moved(const WarpAccess& access)
    {
        const auto plus = [](std::int32_t a, std::int32_t b) { // modulo 2^32
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) +
                                             static_cast<std::uint32_t>(b));
        };
        scratch_.step = access.step;
        scratch_.lanes = access.repeated->lanes;
        for (LaneRead& read : scratch_.lanes) {
            read.texel = {plus(read.texel.x, access.shift.x), plus(read.texel.y, access.shift.y)};
        }
        return scratch_;
    }

    MemoryHierarchy& memory_;
    LaneShapes shapes_;
    LinePatterns patterns_;
    bool miss_kinds_;
    WarpAccess scratch_;
};

} // namespace

void run_streamed(const TraceSource& source, const SimulationOptions& options,
                  std::span<SimulationObserver* const> observers, const StopToken& stop,
                  SimulationResult& result, SequenceMemory* sequence)
{
    MemoryHierarchy memory(source.images(), options, stop, observers, sequence);
    std::optional<RepeatedAccesses> repeated; // made when first needed: most sources never do
    std::vector<UntimedCore> cores;
    for (int core = 0; core < options.machine.cores; ++core) {
        cores.emplace_back(source, options, core, observers.empty());
    }
    run_cores(cores, [&](int core, WarpId warp, const WarpAccess& access) {
        if (!access.repeated) {
            memory.access(core, warp, access);
            return;
        }
        if (!repeated) {
            repeated.emplace(memory, options);
        }
        repeated->access(core, warp, access);
    });
    add_cores(cores, result);
    memory.finish(result);
}

} // namespace texelscope::sim
