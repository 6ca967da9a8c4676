#pragma once

#include "sim/memory/counting.hpp"
#include "sim/memory/line_patterns.hpp"
#include "sim/memory/timed_memory.hpp"
#include "sim/repetition/launch_program.hpp"

#include <vector>

namespace texelscope::sim {

/// For the timed mode with nobody watching the single lookups: a warp access is coalesced to its lines and looked up as a
/// whole.
class CountedMemory final : public TimedMemory {
public:
    /// All arguments must outlive this.
    CountedMemory(const TraceSource& source, const SimulationOptions& options, const StopToken& stop)
        : source_(source), options_(options), counting_(source.images(), options, stop)
    {}
    [[nodiscard]] std::unique_ptr<TimedWarp> open(int core, WarpId warp) override;
    /// As Counting::finish().
    void finish(SimulationResult& result) const { counting_.finish(result); }

private:
    class Warp;
    const TraceSource& source_;
    const SimulationOptions& options_;
    Counting counting_;
    std::vector<TimedLookup> lookups_;
};

/// The same for a launch, taken apart: of each shape of lanes the lines are found once.
class ProgramMemory final : public TimedMemory {
public:
    /// All arguments must outlive this.
    ProgramMemory(std::span<const Image> images, const SimulationOptions& options, LaunchProgram& program,
                  const StopToken& stop)
        : program_(program), counting_(images, options, stop), patterns_(counting_.images(), options, program.shapes()),
          miss_kinds_(options.miss_kinds)
    {}
    [[nodiscard]] std::unique_ptr<TimedWarp> open(int core, WarpId warp) override;
    void finish(SimulationResult& result) const { counting_.finish(result); }

private:
    class Warp;
    LaunchProgram& program_;
    Counting counting_;
    LinePatterns patterns_;
    bool miss_kinds_;
    std::vector<TimedLookup> lookups_;
};

} // namespace texelscope::sim
