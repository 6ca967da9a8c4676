#pragma once

#include "codegen/operators/operator.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// The values of a part beside A, T, W and G that are searched for an operator, as in a schedule's
/// text, "" for the default: every order of the loops that have several iterations, every choice of
/// them to write out, up to 32 iterations together (what more costs in text and registers it does
/// not bring back); powers of four that share a reduction; powers of two from 4 to 32 that go in
/// blocks; every memory of every tensor; every vector; every word. Not all are legal together.
[[nodiscard]] std::vector<std::string> part_values(const Operator& op, char part);

/// A tile for each way to pack the operator's texels: along x, along y, both, neither.
[[nodiscard]] std::vector<std::vector<std::int32_t>> packing_tiles(const Operator& op);

/// Whether the operator takes the schedule with one tile at least, of those that pack its texels
/// differently, in place of its own.
[[nodiscard]] bool is_legal_with_some_tile(const Operator& op, Schedule schedule);

} // namespace texelscope::workbench::space
