#pragma once

#include "base/stop.hpp"
#include "sim/cache/fill_outcome.hpp"
#include "sim/memory/coalescer.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/memory/line_patterns.hpp"
#include "sim/options/options.hpp"
#include "sim/repetition/launch_program.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Walks through the L1 lookups of a launch, core by core, without simulating caches. The lookups
/// of a core, and their order, are those of the untimed simulation.
class LookupWalk {
public:
    /// Everything must outlive this. Throws bad_input where the options are invalid, or the
    /// dispatch is dynamic, which asks for time.
    LookupWalk(const TraceSource& source, const SimulationOptions& options, const StopToken& stop);

    /// Lookups of one warp access that go to one image, as numbers of L1 lines (several sectors of
    /// a line are several lookups of it).
    using Visitor = std::function<void(std::size_t image, const LineList& lines)>;
    /// How much of a core is walked.
    struct Bounds {
        std::int64_t accesses = std::numeric_limits<std::int64_t>::max(); ///< of warps
        /// Batch schedule only: the later ones are left out.
        std::int64_t occupancy_groups = std::numeric_limits<std::int64_t>::max();
    };
    /// Walks one core from its first access to its last within the bounds; returns how many
    /// accesses of warps that were, those that touch no memory included. Throws Interrupted.
    std::int64_t run(int core, const Visitor& visit, const Bounds& bounds);
    void run(int core, const Visitor& visit) { run(core, visit, {}); }

    /// Upper bound (exclusive) of all line numbers.
    [[nodiscard]] std::int64_t line_count() const;
    /// Lines of one image: from the first to one past the last.
    struct LineRange {
        std::int64_t first = 0;
        std::int64_t end = 0;
    };
    [[nodiscard]] LineRange lines_of(std::size_t image) const;

private:
    std::int64_t run_program(int core, const Visitor& visit, const Bounds& bounds);
    std::int64_t run_streamed(int core, const Visitor& visit, const Bounds& bounds);
    void pass_on(std::size_t image, std::int64_t first, std::span<const std::int32_t> granules,
                 const Visitor& visit);

    const TraceSource& source_;
    const SimulationOptions& options_;
    StopCheck poll_;
    std::vector<StoredImage> images_;
    std::int64_t sectors_per_line_;
    std::unique_ptr<LaunchProgram> program_; ///< null where the accesses have to be streamed
    std::unique_ptr<LinePatterns> patterns_; ///< of the program
    Coalescer coalescer_;                    ///< of streamed accesses
    std::vector<std::int32_t> lines_;
};

} // namespace texelscope::sim
