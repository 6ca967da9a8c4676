#pragma once

#include "networks/plan/plan.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::networks {

/// Which values share memory. A value needs its own from the kernel that makes it to the last that
/// reads it.
struct MemoryPlan {
    /// By value: itself, or the value in whose place it is made. That lies in a buffer and is
    /// needed no more, and each work-item reads of it only what it writes.
    std::vector<ValueId> lies_at;
    std::vector<int> slot_of; ///< by value; -1: no kernel makes it
    std::vector<std::int64_t>
        offset_of; ///< by value, in its slot; 0 but where that is one buffer for all (Plan::arena)
    std::vector<std::int64_t> slot_sizes; ///< in bytes
    /// By value: it has gaps of zeros, where others leave theirs, so that its memory is cleared
    /// before it is made.
    std::vector<bool> cleared;
    /// By value: what takes the place of it cannot be written where it lies, but in a second
    /// memory, with which it changes after the run. No kernel reads and writes one image.
    std::vector<bool> twin;
    std::int64_t sum_bytes = 0; ///< if every value had its own
    /// By kernel: bytes of the values that are needed while it runs.
    std::vector<std::int64_t> alive;
    std::int64_t alive_bytes = 0; ///< the most of these: no plan takes less
    /// Weights and what the caller gives, as they lie, beside the slots; with the second memories.
    std::int64_t constant_bytes = 0;

    [[nodiscard]] std::int64_t slot_bytes() const;
    /// Whether its memory is cleared before a kernel runs.
    [[nodiscard]] bool clears_before(const Plan& plan, std::size_t kernel) const;
};

/// Bytes from the first of an operand to past the last, with the padding of its rows.
[[nodiscard]] std::int64_t stored_size(const codegen::Operand& operand);

/// Values in order of the kernels, each into the least of the free slots that it fits, else into
/// one of its own. Images share where they are as large and have the same gaps of zeros, which no
/// kernel writes; buffers without gaps share with larger ones. Where the plan has an arena, all are
/// in one slot, see place_in_arena(). `share`: false where all values are wanted in the end.
[[nodiscard]] MemoryPlan memory_plan(const Plan& plan, bool share = true);

} // namespace texelscope::networks
