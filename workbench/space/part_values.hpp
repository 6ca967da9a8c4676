#pragma once

#include "codegen/operators/operator.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// The values of a part beside A, T, W and G that are searched for an operator, written as in a
/// schedule's text, with "" for the default:
/// - loop order: every order of the loops that have several iterations;
/// - unrolling: every choice of loops, up to 32 iterations together (more costs more in text and
///   registers than it gains);
/// - split reductions: powers of four; blocks: powers of two from 4 to 32;
/// - memory, vector, words: every value, memory for every tensor.
/// Not all values are legal together.
[[nodiscard]] std::vector<std::string> part_values(const Operator& op, char part);

/// One tile for each way to pack the operator's texels: along x, along y, both, neither.
[[nodiscard]] std::vector<std::vector<std::int32_t>> packing_tiles(const Operator& op);

/// Whether the operator takes the schedule with at least one of packing_tiles() in place of its own
/// tile.
[[nodiscard]] bool is_legal_with_some_tile(const Operator& op, Schedule schedule);

} // namespace texelscope::workbench::space
