#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What OpenCL's sub-group functions compute from the values of the work-items that call them
/// (OpenCL C 3.0, section 6.15.19, the cl_khr_subgroup extensions, and the shuffles of
/// cl_intel_subgroups). It knows nothing of who runs the work-items.
namespace texelscope::traces {

enum class SubgroupAction {
    // Where the work-item is. These wait for nobody.
    size,
    max_size,
    count,
    enqueued_count,
    number,
    lane,
    // Bits of a ballot, from the work-item's own operand. These wait for nobody, either.
    mask_eq,
    mask_ge,
    mask_gt,
    mask_le,
    mask_lt,
    inverse_ballot,
    bit_extract,
    bit_count,
    bits_inclusive,
    bits_exclusive,
    lowest_bit,
    highest_bit,
    // From here on the values of the others count.
    barrier,
    all,
    any,
    all_equal,
    elect,
    ballot,
    broadcast,
    broadcast_first,
    shuffle,
    shuffle_xor,
    shuffle_up,
    shuffle_down,
    two_part_up,   ///< intel_sub_group_shuffle_up(previous, current, delta)
    two_part_down, ///< intel_sub_group_shuffle_down(current, next, delta)
    reduce,
    scan_inclusive,
    scan_exclusive,
    clustered_reduce,
};

enum class SubgroupFold {
    add,
    mul,
    min,
    max,
    bit_and,
    bit_or,
    bit_xor,
    logical_and,
    logical_or,
    logical_xor
};

struct SubgroupFunction {
    std::string name;
    SubgroupAction action = SubgroupAction::barrier;
    SubgroupFold fold = SubgroupFold::add;
    /// OpenCL has it that all work-items of the sub-group call it, or none.
    bool everyone = true;

    [[nodiscard]] bool waits_for_others() const { return action >= SubgroupAction::barrier; }
};

/// All that can be computed.
[[nodiscard]] std::vector<SubgroupFunction> subgroup_functions();

enum class SubgroupType { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

/// The type of the first parameter's elements, by the mangled parameters ("f", "Dv4_fj", ...);
/// nullopt where there is none, or a type that no sub-group function has.
[[nodiscard]] std::optional<SubgroupType> subgroup_type(std::string_view overload);

/// One work-item of a sub-group, by its place in it.
struct SubgroupLane {
    bool calls = false;                    ///< it takes part; the others stay as they are
    const unsigned char* operands[3] = {}; ///< the values, as they lie in memory
    unsigned char* result = nullptr;       ///< room for the result; null for a barrier
};

/// Where a sub-group is in its launch.
struct SubgroupPlace {
    std::size_t max_size = 0;       ///< of every sub-group but the last of a work-group
    std::size_t number = 0;         ///< in its work-group
    std::size_t count = 0;          ///< sub-groups in this work-group
    std::size_t enqueued_count = 0; ///< sub-groups in a work-group of the local size asked for
};

/// Writes the results of all lanes that call. `bytes`: size of the first operand. Throws
/// std::runtime_error where OpenCL leaves a result open that a correct kernel cannot ignore, and
/// for what cannot be computed.
void call_subgroup(const SubgroupFunction& function, std::optional<SubgroupType> type,
                   std::size_t bytes, const SubgroupPlace& place,
                   std::span<const SubgroupLane> lanes);

} // namespace texelscope::traces
