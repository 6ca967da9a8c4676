#pragma once

#include "sim/options/options.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/schedule/warp_dispatch.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace texelscope::sim {

/// The order in which one core issues the accesses of its warps in untimed mode.
///
/// batch:  The warps of an occupancy group take turns: step k of each warp that has one, in
///         dispatch order, then the next step. The next occupancy group starts when all are done.
/// refill: Each round issues the next access of every resident warp, in slot order. A warp that has
///         issued its last access hands its slot to the next warp, which joins in the next round.
class UntimedCore {
public:
    /// `repeated`: whether accesses may come as repeated lanes (WarpAccess::repeated).
    UntimedCore(const TraceSource& source, const SimulationOptions& options, int core,
                bool repeated = false);

    /// The next access and the warp that makes it; false at the end.
    bool next(WarpAccess& access, WarpId& warp);

    [[nodiscard]] const WarpDispatch& dispatch() const { return dispatch_; }
    [[nodiscard]] std::int64_t occupancy_groups() const { return occupancy_groups_; }

private:
    struct Resident {
        WarpId id;
        std::unique_ptr<WarpStream> stream;
        WarpAccess access; ///< the next one, where `pending`
        bool pending = false;
    };

    [[nodiscard]] Resident open(WarpId id) const;
    bool next_batch(WarpAccess& access, WarpId& warp);
    bool next_refill(WarpAccess& access, WarpId& warp);
    bool read(WarpStream& stream, WarpAccess& access) const
    {
        return repeated_ ? stream.next_repeated(access) : stream.next(access);
    }
    void issue(Resident& resident, WarpAccess& access, WarpId& warp) const;

    const TraceSource& source_;
    WarpDispatch dispatch_;
    bool batch_;
    bool repeated_;
    std::size_t occupancy_;
    int warp_size_;
    std::vector<Resident> residents_;
    std::size_t position_ = 0; ///< the next resident to look at
    std::uint32_t step_ = 0;   ///< batch: the step that warps are at
    std::int64_t occupancy_groups_ = 0;
};

/// Runs cores to their end: visit(core, warp, access) for each access. They advance in turn, one
/// warp access each, so that the order seen by L2 is defined.
template <class Visit>
void run_cores(std::span<UntimedCore> cores, const Visit& visit)
{
    WarpAccess access;
    WarpId warp;
    round_robin(cores.size(), [&](std::size_t core) {
        const bool more = cores[core].next(access, warp);
        if (more) {
            visit(static_cast<int>(core), warp, access);
        }
        return more;
    });
}

/// Adds the warps, groups and occupancy groups of each core to the result, which gets one entry per
/// core unless it has them.
void add_cores(std::span<const UntimedCore> cores, SimulationResult& result);

} // namespace texelscope::sim
