#pragma once

#include "sim/memory/line_patterns.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "sim/memory/timed_memory.hpp"
#include "sim/repetition/launch_program.hpp"

#include <limits>
#include <vector>

namespace texelscope::sim {

/// texture.return where it does not limit: no byte takes any time.
inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// TimedMemory of any trace: looks up warp accesses as the source delivers them.
class StreamedMemory final : public TimedMemory {
public:
    /// All arguments must outlive this.
    StreamedMemory(const TraceSource& source, const SimulationOptions& options,
                   std::span<SimulationObserver* const> observers, const StopToken& stop,
                   SequenceMemory* sequence)
        : source_(source), options_(options),
          memory_(source.images(), options, stop, observers, sequence),
          turns_(memory_.images(), options),
          cycles_per_byte_(1 / options.machine.timing.texture_return.value_or(no_limit))
    {}
    [[nodiscard]] std::unique_ptr<TimedWarp> open(int core, WarpId warp) override;
    /// As MemoryHierarchy::finish().
    void finish(SimulationResult& result) const { memory_.finish(result); }

private:
    class Warp;
    const TraceSource& source_;
    const SimulationOptions& options_;
    MemoryHierarchy memory_;
    AddressTurns turns_;
    double cycles_per_byte_; ///< that is handed back to lanes
    std::vector<TimedLookup> lookups_;
};

/// TimedMemory of a launch that is described by access functions and that nobody observes. Faster:
/// lanes are coalesced once for each shape of lanes and place in the storage layout (LinePatterns).
class ProgramMemory final : public TimedMemory {
public:
    /// All arguments must outlive this.
    ProgramMemory(std::span<const Image> images, const SimulationOptions& options,
                  LaunchProgram& program, const StopToken& stop, SequenceMemory* sequence)
        : program_(program), memory_(images, options, stop, {}, sequence),
          patterns_(memory_.images(), options, program.shapes()),
          miss_kinds_(options.mode.miss_kinds),
          cycles_per_byte_(1 / options.machine.timing.texture_return.value_or(no_limit))
    {}
    [[nodiscard]] std::unique_ptr<TimedWarp> open(int core, WarpId warp) override;
    void finish(SimulationResult& result) const { memory_.finish(result); }

private:
    class Warp;
    LaunchProgram& program_;
    MemoryHierarchy memory_;
    LinePatterns patterns_;
    bool miss_kinds_;
    double cycles_per_byte_; ///< that is handed back to lanes
    std::vector<TimedLookup> lookups_;
};

} // namespace texelscope::sim
