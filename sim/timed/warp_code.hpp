#pragma once

#include "sim/options/options.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

class StoreSectors;

/// The code of a warp as a list of steps: reads and the work between them, in the order in which a
/// compiler would put them. All warps of a launch run the same code (CodePosition).
///
/// Within a body without loops, reads are moved ahead of the work that needs them. When a piece of
/// work needs a read that is not issued yet, that read and those after it are issued together, as
/// many as the device's compiler keeps under way (Instructions::reads_in_flight). Iterations of
/// innermost loops that stay loops and store nothing are joined, at most four, until they have that
/// many reads. Work then waits for the reads
/// that it needs, in order: until at most Step::under_way of the reads issued so far are not back.
/// Reads among themselves stay in the order of the program.
class WarpCode {
public:
    /// The code of a launch. It alternates reads with work of alu.cycles_per_step cycles where
    /// `launch` is null, where the launch does not describe its work, or where that option is
    /// given. `stores`: of that launch; null where nobody asks for Step::store_port.
    WarpCode(const Launch* launch, const SimulationOptions& options,
             StoreSectors* stores = nullptr);

    /// `skip` is a read of a texel that the compiler has from an earlier read: the program goes on
    /// by one read, and nothing is done.
    enum class Kind : std::uint8_t { read, skip, work, loop, end };
    struct Step {
        Kind kind = Kind::work;
        bool barrier = false;
        int under_way = any;    ///< most reads that may still be under way when the step begins
        double cycles = 0;      ///< for which the step holds the issue port
        double gap = 0;         ///< cycles until the warp's next step can begin, if more
        double operations = 0;  ///< of one work-item
        double stored = 0;      ///< bytes that a full warp sends to L2
        double store_port = 0;  ///< bytes for whose time these hold the port (StoreSectors)
        double spilled = 0;     ///< bytes of spilled registers that a warp moves (SpillRule::body)
        double local = 0;       ///< bytes that a warp moves from or to local memory
        std::int64_t times = 0; ///< of a loop: number of iterations
        std::size_t target = 0; ///< of a loop: index of its first step, where it goes back to
        int depth = 0;          ///< of a loop: number of loops around it

        static constexpr int any = 1 << 30; ///< the step needs no read
    };
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
    /// Sums over all steps that one warp goes through, iterations of loops included.
    struct Totals {
        double reads = 0;   ///< reads that are made
        double skipped = 0; ///< reads that the compiler shares with earlier ones
        /// How often a warp waits for reads before it issues more: so often it pays their latency.
        double waits = 0;
        double cycles = 0;     ///< for which the warp holds the issue port
        double alone = 0;      ///< cycles that the warp alone would take, without waits for reads
        double operations = 0; ///< of one work-item
        double stored = 0;     ///< bytes, of a full warp
        double spilled = 0;    ///< bytes of spilled registers, of a warp (SpillRule::body)
        double local = 0;      ///< bytes from or to local memory, of a warp
    };
    [[nodiscard]] Totals totals() const;
    /// Depth of the deepest nest of loops.
    [[nodiscard]] int loops() const { return loops_; }
    /// The largest Step::under_way of the steps that wait for reads.
    [[nodiscard]] int most_under_way() const { return most_under_way_; }

private:
    friend class CodeWriter;
    std::vector<Step> steps_;
    int loops_ = 0;
    int most_under_way_ = 0;
    bool of_trace_ = false; ///< the code has no launch behind it: reads and work alternate
};

/// Where a warp is in its code; never at a step of kind `loop`.
class CodePosition {
public:
    explicit CodePosition(const WarpCode& code)
        : code_(&code), turns_(static_cast<std::size_t>(code.loops()), 0)
    {
        skip_loops();
    }
    [[nodiscard]] const WarpCode::Step& step() const { return code_->steps()[at_]; }
    void next()
    {
        ++at_;
        skip_loops();
    }

private:
    void skip_loops()
    {
        while (step().kind == WarpCode::Kind::loop) {
            const WarpCode::Step& loop = step();
            std::int64_t& turn = turns_[static_cast<std::size_t>(loop.depth)];
            if (++turn < loop.times) {
                at_ = loop.target;
            } else {
                turn = 0;
                ++at_;
            }
        }
    }

    const WarpCode* code_;
    std::size_t at_ = 0;
    std::vector<std::int64_t> turns_; ///< by depth of the loop: iterations that are done
};

} // namespace texelscope::sim
