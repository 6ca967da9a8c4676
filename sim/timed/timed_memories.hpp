#pragma once

#include "sim/memory/line_patterns.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "sim/memory/timed_memory.hpp"
#include "sim/repetition/launch_program.hpp"
#include "sim/timed/texel_return.hpp"

#include <vector>

namespace texelscope::sim {

/// TimedMemory of any trace: looks up warp accesses as the source delivers them.
class StreamedMemory final : public TimedMemory {
public:
    /// All arguments must outlive this.
    StreamedMemory(const TraceSource& source, const SimulationOptions& options,
                   std::span<SimulationObserver* const> observers, const StopToken& stop,
                   SequenceMemory* sequence)
        : source_(source), options_(options),
          memory_(source.images(), options, stop, observers, sequence),
          turns_(memory_.images(), options), texel_return_(source.images(), options.machine)
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
    TexelReturn texel_return_;
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
          miss_kinds_(options.mode.miss_kinds), texel_return_(images, options.machine)
    {}
    [[nodiscard]] std::unique_ptr<TimedWarp> open(int core, WarpId warp) override;
    void finish(SimulationResult& result) const { memory_.finish(result); }

private:
    class Warp;
    LaunchProgram& program_;
    MemoryHierarchy memory_;
    LinePatterns patterns_;
    bool miss_kinds_;
    TexelReturn texel_return_;
    std::vector<TimedLookup> lookups_;
};

} // namespace texelscope::sim
