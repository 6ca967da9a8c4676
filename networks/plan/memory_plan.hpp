#pragma once

#include "networks/plan/plan.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::networks {

/// Which values share memory, as a set of slots. A value needs its memory from the kernel that
/// makes it to the last kernel that reads it.
struct MemoryPlan {
    /// By value: itself, or the value whose memory it overwrites while it is made. The latter lies
    /// in a buffer, is not needed afterwards, and each work-item reads only those of its elements
    /// that it writes.
    std::vector<ValueId> lies_at;
    std::vector<int> slot_of; ///< slot of each value; -1: no kernel makes it
    std::vector<std::int64_t>
        /// Offset of each value in its slot, in bytes; not 0 only if the slot is the buffer for all
        /// values (Plan::arena)
        offset_of;
    std::vector<std::int64_t> slot_sizes; ///< in bytes
    /// By value: whether its memory must be cleared before it is made, because it has gaps of zeros
    /// where other values of the slot leave numbers.
    std::vector<bool> cleared;
    /// By value: whether the value that takes its place is written to a second memory, which is
    /// exchanged with the first after the run. It is needed where the value cannot be replaced in
    /// place, see twins().
    std::vector<bool> twin;
    std::int64_t sum_bytes = 0; ///< memory if every value had its own
    /// For each kernel, bytes of all values that are needed while it runs.
    std::vector<std::int64_t> alive;
    std::int64_t alive_bytes = 0; ///< maximum of `alive`: a lower bound of what any plan takes
    /// Bytes outside of the slots: weights, values that the caller gives, and second memories.
    std::int64_t constant_bytes = 0;

    [[nodiscard]] std::int64_t slot_bytes() const;
    /// Whether the memory of the kernel's output is cleared before the kernel runs.
    [[nodiscard]] bool clears_before(const Plan& plan, std::size_t kernel) const;
};

/// Bytes that an operand occupies, with the padding of its rows.
[[nodiscard]] std::int64_t stored_size(const codegen::Operand& operand);

/// Assigns memory to values in the order in which kernels make them: each gets the smallest free
/// slot that it fits, or else a new one. Images share a slot only if they are equally large and
/// have the same gaps of zeros, which no kernel overwrites; buffers without gaps may use the memory
/// of larger ones. If the plan has an arena, all values are in one slot, see place_in_arena(). With
/// `share` false every value keeps its memory to the end, so that all can be read back.
[[nodiscard]] MemoryPlan memory_plan(const Plan& plan, bool share = true);

} // namespace texelscope::networks
