#pragma once

#include "codegen/operators/operator.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// The values that are searched of a part beside A, T, W and G, written as in a schedule's text,
/// with "" for the default:
/// - L: every order of the loops that have several iterations;
/// - U: every choice of loops to write out, up to 32 iterations together (more costs more in text
///   and registers than it gains);
/// - R, the work-items that share a reduction: powers of four;
/// - S, the iterations that go in blocks: powers of two from 4 to 32;
/// - M: every memory of every tensor; V: every vector; other parts: every word.
/// Not all values are legal together.
[[nodiscard]] std::vector<std::string> part_values(const Operator& op, char part);

/// One tile for each way to pack the operator's texels: along x, along y, both, neither.
[[nodiscard]] std::vector<std::vector<std::int32_t>> packing_tiles(const Operator& op);

/// Whether the operator takes the schedule with at least one of packing_tiles() in place of its own
/// tile.
[[nodiscard]] bool is_legal_with_some_tile(const Operator& op, Schedule schedule);

} // namespace texelscope::workbench::space
