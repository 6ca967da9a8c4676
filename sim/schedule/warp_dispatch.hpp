#pragma once

#include "base/layers.hpp"
#include "traces/trace_source.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// A lazy queue of the work-groups of a launch that read something, in the order of their numbers:
/// of all groups, or of those of one core.
class GroupQueue {
public:
    /// Holds the groups whose number is `remainder` modulo `cores`.
    GroupQueue(const TraceSource& source, int warp_size, int remainder = 0, int cores = 1);

    struct Group {
        std::int64_t number = 0;
        std::vector<std::int32_t> warps; ///< warps that read something
    };
    /// The next group, which stays in the queue; null at the end.
    [[nodiscard]] const Group* front();
    /// Takes the next group; front() must not be null.
    Group pop();

private:
    const TraceSource& source_;
    int warp_size_;
    int remainder_;
    int cores_;
    std::int64_t next_; ///< number of the first group that was not looked at
    Group front_;       ///< the next group; has no warps while it is not known yet
};

struct WarpId {
    std::int64_t group = 0;
    std::int32_t warp = 0; ///< number in its group
};

/// The warps of one core in the order in which they are dispatched: by group, then by warp,
/// ascending. The groups come from a queue of the core's own (round-robin: group g on core g mod
/// cores), or from a queue that all cores share. Lazy.
class WarpDispatch {
public:
    WarpDispatch(const TraceSource& source, int core, int cores, int warp_size);
    explicit WarpDispatch(std::shared_ptr<GroupQueue> queue);

    /// The next warp, or nothing at the end.
    [[nodiscard]] std::optional<WarpId> next();

    /// The next warps, at most `room` and all of one work-group. Empty at the end.
    [[nodiscard]] std::vector<WarpId> next_of_one_group(std::size_t room);

    /// What one work-group adds to an occupancy group.
    struct Part {
        std::vector<WarpId> warps;
        bool more = false; ///< another work-group may fit, too
    };
    /// Takes the warps of the next work-group for an occupancy group that has `held` of at most
    /// `occupancy` warps: all of its warps where they fit, else none. A work-group with more warps
    /// than the occupancy is cut into occupancy groups of its own.
    [[nodiscard]] Part pack(std::size_t held, std::size_t occupancy);

    /// The warps of the next occupancy group: work-groups are packed in order while they fit. Empty
    /// at the end.
    [[nodiscard]] std::vector<WarpId> next_occupancy_group(std::size_t occupancy);
    /// The warps with which a core starts next: an occupancy group, or without `batch` as many as
    /// there are slots.
    [[nodiscard]] std::vector<WarpId> next_residents(bool batch, std::size_t occupancy);

    [[nodiscard]] std::int64_t groups() const { return groups_; } ///< work-groups begun so far
    [[nodiscard]] std::int64_t warps() const { return warps_; }   ///< warps handed out so far

private:
    /// Loads the next work-group where the present one has no warp left; false at the end.
    bool load_group();
    WarpId take();

    std::shared_ptr<GroupQueue> queue_;
    GroupQueue::Group group_;
    std::size_t taken_ = 0; ///< warps of `group_` that were handed out
    std::int64_t groups_ = 0;
    std::int64_t warps_ = 0;
};

/// Lets `count` cores advance in turn, beginning with core 0. advance(core) returns false when the
/// core has come to its end, and is then not called for that core any more.
template <class Advance>
void round_robin(std::size_t count, const Advance& advance)
{
    std::vector<std::size_t> active(count);
    std::iota(active.begin(), active.end(), std::size_t{0});
    while (!active.empty()) {
        if (active.size() == 1) {
            while (advance(active.front())) {
            }
            return;
        }
        std::erase_if(active, [&](std::size_t core) { return !advance(core); });
    }
}

} // namespace texelscope::sim
