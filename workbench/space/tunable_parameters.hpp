#pragma once

#include "codegen/nest/schedule_parts.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace texelscope::workbench::space {

/// A number or a word, as auto-tuners give values to the parameters of a kernel.
using ParameterValue = std::variant<std::int64_t, std::string>;
/// Names with their values, in an order.
using ParameterValues = std::vector<std::pair<std::string, ParameterValue>>;

[[nodiscard]] std::string to_string(const ParameterValue& value);

/// A schedule as flat parameters. Always: pattern_1, pattern_2, ... (of each input), tile_x,
/// tile_y, tile_z, warp_x, warp_y, block_size_x, block_size_y, block_size_z; a tile without a z has
/// 0 there. Where they are not the default: order, unroll (loops joined by "+"), split, stage,
/// memory_1, ... (of each input, then the output), storage, vector, splat, eliminate_addresses.
[[nodiscard]] ParameterValues tunable_parameters(const Schedule& schedule);

/// All parameters of a schedule, including those that have their default, in a fixed order.
/// `memories`: how many tensors have a memory.
[[nodiscard]] ParameterValues all_parameters(const Schedule& schedule, std::size_t memories);

/// The part of a schedule that the parameter belongs to; null for an unknown name.
[[nodiscard]] const SchedulePart* part_of_parameter(const std::string& name);

/// The words that a parameter can have as value; empty for numbers, and for lists of loops, whose
/// names depend on the operator.
[[nodiscard]] std::vector<std::string> parameter_words(const std::string& name);

/// The schedule of such parameters. Throws bad_input for a name that is unknown or occurs twice, a
/// missing name, or a wrong value.
[[nodiscard]] Schedule schedule_of(const ParameterValues& parameters);

/// A table with one row of values for each schedule: a column for each parameter that any of them
/// has, with the default filled in where a schedule does not have it.
struct ParameterTable {
    std::vector<std::string> names;
    std::vector<std::vector<ParameterValue>> rows;

    /// The distinct values of a column: numbers ascending, then words in the order of bytes.
    [[nodiscard]] std::vector<ParameterValue> values(std::size_t column) const;
    [[nodiscard]] ParameterValues row(std::size_t number) const;
};
[[nodiscard]] ParameterTable parameter_table(const std::vector<Schedule>& schedules);

} // namespace texelscope::workbench::space
