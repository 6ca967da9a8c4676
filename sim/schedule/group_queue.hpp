#pragma once

#include "traces/trace_source.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {

/// The work-groups of a launch that read something, in order: all of them, or those of one core. Lazy.
class GroupQueue {
public:
    /// The groups whose number is `remainder` modulo `cores`.
    GroupQueue(const TraceSource& source, int warp_size, int remainder = 0, int cores = 1);

    struct Group {
        std::int64_t number = 0;
        std::vector<std::int32_t> warps; ///< that read something
    };
    /// The next group, which stays where it is; null at the end.
    [[nodiscard]] const Group* front();
    /// Takes it; front() must not be null.
    Group pop();

private:
    const TraceSource& source_;
    int warp_size_;
    int remainder_;
    int cores_;
    std::int64_t next_; ///< number of the first group that was not looked at
    Group front_;       ///< without warps: not known yet
};

} // namespace texelscope::sim
