#pragma once

#include "sim/options/options.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// What a warp does, step by step: the order in which a compiler puts the reads of a kernel and the
/// work between them.
///
/// Within a body without loops, reads are put ahead of the work that needs them: when something
/// needs a read that is not issued, that one and those after it are issued together, as many as the
/// device's compiler keeps under way. Iterations of short innermost loops are joined until they
/// have as many reads. The work then waits for what it needs, in order: until all reads but the
/// last so many are back (or for all, where the device cannot wait for less). The order of the
/// reads stays what it is in the program.
class WarpCode {
public:
    /// That of a launch. Where there is none, or it says nothing of its work, or
    /// alu.cycles_per_step is given: reads in turn with work as long as that says.
    WarpCode(const Launch* launch, const SimulationOptions& options);

    /// A read may be one that the compiler shares with an earlier one (`skip`): the step is the
    /// program's, and nothing is done.
    enum class Kind : std::uint8_t { read, skip, work, loop, end };
    struct Step {
        Kind kind = Kind::work;
        bool barrier = false;
        int under_way = any;    ///< reads that may still be under way when the step begins
        double cycles = 0;      ///< of the issue port
        double gap = 0;         ///< until the warp goes on
        double operations = 0;  ///< of a work-item
        double stored = 0;      ///< bytes that leave for L2, of a warp
        double local = 0;       ///< bytes from or to local memory, of a warp
        std::int64_t times = 0; ///< of a loop
        std::size_t target = 0; ///< of a loop: where it goes back to
        int depth = 0;          ///< of a loop: loops around it

        static constexpr int any = 1 << 30; ///< it needs no read
    };
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
    /// What all steps of a launch's code take together.
    struct Totals {
        double reads = 0;   ///< that are made
        double skipped = 0; ///< that the compiler shares with others
        /// For reads of which others follow only afterwards: how often a warp meets their latency.
        double waits = 0;
        double cycles = 0;     ///< of the issue port
        double gap = 0;        ///< of the warp alone, reads apart
        double operations = 0; ///< of a work-item
        double stored = 0;     ///< bytes, of a warp
        double local = 0;      ///< likewise
    };
    [[nodiscard]] Totals totals() const;
    [[nodiscard]] int loops() const { return loops_; } ///< that lie in each other, at most
    /// Reads under way that some step tells apart, at most.
    [[nodiscard]] int most_under_way() const { return most_under_way_; }

private:
    friend class CodeWriter;
    std::vector<Step> steps_;
    int loops_ = 0;
    int most_under_way_ = 0;
    bool of_trace_ = false;
};

/// Bytes of a work-item that go to memory and come back with each operation, for values that have
/// no register.
[[nodiscard]] double spilled_bytes(const SimulationOptions& options);

/// Where a warp is in its code.
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
    std::vector<std::int64_t> turns_; ///< of each loop around it, those that are done
};

} // namespace texelscope::sim
