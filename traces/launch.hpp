#pragma once

#include "traces/image.hpp"
#include "traces/index/index_expr.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::traces {

/// Slots of the variables that every launch has; loop variables follow from `first_loop_slot` on.
namespace slots {
inline constexpr int local_x = 0, local_y = 1, local_z = 2; ///< get_local_id(0..2)
inline constexpr int group_x = 3, group_y = 4, group_z = 5; ///< get_group_id(0..2)
inline constexpr int first_loop_slot = 6;
} // namespace slots

/// Where a work-item reads: the image (index into Launch::images) and the texel as expressions over
/// work-item ids and loop variables.
struct AccessFunction {
    int image = 0;
    IndexExpr x;
    IndexExpr y;
};

/// A condition on a whole work-item: `value` < `bound`.
struct Guard {
    IndexExpr value;
    std::int64_t bound = 0;

    bool operator==(const Guard&) const = default;
};

/// Where a work-item writes a texel of Launch::output, unless it fails one of the guards.
struct Store {
    IndexExpr x;
    IndexExpr y;
    std::vector<Guard> guards;

    bool operator==(const Store&) const = default;
};

/// What a work-item does between its reads. What is read does not depend on it, so the simulator
/// needs it only in timed mode.
struct Work {
    /// Number of multiply-adds, additions, comparisons and the like, each of one number.
    double operations = 0;
    double exponentials = 0;         ///< number of exponentials, each of one number
    Bytes local{0};                  ///< bytes read from or written to local memory
    Bytes stored{0};                 ///< bytes written to images and buffers
    std::optional<Store> store = {}; ///< where these go; nullopt: not known
    bool barrier = false;            ///< work-items of a group wait for each other before this work
    /// How many reads the body has between the last read that this work needs and this work; -1
    /// where it needs no read.
    int reads_since = -1;

    bool operator==(const Work&) const = default;
};

struct Loop;

/// A read, the work between reads, or a loop around further statements, in program order.
using Statement = std::variant<AccessFunction, Work, Loop>;

/// for (variable = 0; variable < extent; ++variable) body. The extent is the same for all
/// work-items.
struct Loop {
    Variable variable; ///< range [0, extent - 1]
    std::vector<Statement> body;

    [[nodiscard]] std::int64_t extent() const { return variable.extent(); }
};

/// Whether some work in the body has a barrier.
[[nodiscard]] bool has_barriers(const std::vector<Statement>& body);

using Dim3 = std::array<std::int32_t, 3>;

/// A kernel launch, described by its reads and the work between them.
struct Launch {
    std::string kernel;
    std::vector<Image> images;
    std::optional<Image> output = {}; ///< what its stores write to; nullopt: not known
    Dim3 groups{1, 1, 1};             ///< work-groups along x, y, z
    Dim3 local{1, 1, 1};              ///< work-items of a work-group along x, y, z
    std::vector<Guard> guards;        ///< a work-item that fails one reads nothing
    std::vector<Statement> body;
    /// Only so many of its work-groups run, the first ones. nullopt: all.
    std::optional<std::int64_t> first_groups = {};

    [[nodiscard]] std::int64_t group_count() const
    {
        const std::int64_t all = std::int64_t{groups[0]} * groups[1] * groups[2];
        return std::min(all, first_groups.value_or(all));
    }
    [[nodiscard]] std::int64_t group_size() const
    {
        return std::int64_t{local[0]} * local[1] * local[2];
    }
};

/// The work-item variables of a launch of that geometry, in slot order (local x, y, z, group x, y,
/// z), named as in kernel text: lx, ly, lz, gx, gy, gz.
[[nodiscard]] std::array<Variable, 6> work_item_variables(Dim3 groups, Dim3 local);

/// Number of reads of one work-item that passes the guards.
[[nodiscard]] std::int64_t reads_per_item(const std::vector<Statement>& body);

/// One read of one work-item.
struct ItemRead {
    int image = 0;
    Texel texel;

    bool operator==(const ItemRead&) const = default;
};
/// All reads of the work-item with these group and local ids, in program order.
[[nodiscard]] std::vector<ItemRead> item_reads(const Launch& launch, Dim3 group, Dim3 local);

/// Number of iterations of the longest loop that has reads, at any depth; 1 where there is no loop.
[[nodiscard]] std::int64_t longest_loop(const Launch& launch);

/// The launch with its longest loop cut to that many iterations. So are all other loops of the same
/// length, unless they lie inside of such a loop.
[[nodiscard]] Launch with_longest_loop(Launch launch, std::int64_t iterations);

/// The launch with nothing but its longest loops, those that with_longest_loop() cuts, and the
/// loops around them.
[[nodiscard]] Launch with_longest_loop_alone(Launch launch);

} // namespace texelscope::traces
