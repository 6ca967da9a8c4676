#pragma once

#include "codegen/operators/operator.hpp"
#include "workbench/space/kernel_choice.hpp"
#include "workbench/space/space_options.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// The values of a part beside A, T, W and G, by its key, that are searched for an operator, as in
/// a schedule's text, "" for the default: every order of the loops that have several iterations,
/// every choice of them to write out, up to 32 iterations together (what more costs in text and
/// registers it does not bring back); powers of four that share a reduction; powers of two from 4
/// to 32 that go in blocks; every memory of every tensor; every vector; every word. Not all are
/// legal together.
[[nodiscard]] std::vector<std::string> part_values(const Operator& op, char part);

/// One tile for each way to pack the operator's texels: along x, along y, both, neither.
[[nodiscard]] std::vector<std::vector<std::int32_t>> packing_tiles(const Operator& op);

/// Whether the operator takes the schedule with at least one of packing_tiles() in place of its own
/// tile.
[[nodiscard]] bool is_legal_with_some_tile(const Operator& op, Schedule schedule);

/// Every combination of one pattern for each input.
[[nodiscard]] std::vector<std::vector<AccessPattern>>
pattern_choices(std::span<const AccessPattern> patterns, std::size_t inputs);

/// The tiles by what the options say of T: two sizes where the third is 1. Not all are legal.
[[nodiscard]] std::vector<std::vector<std::int32_t>> tile_choices(const Operator& op,
                                                                  const SpaceOptions& options);

/// Every combination of the options' values of further parts, the first part (in the order of a
/// schedule's text) outermost; patterns and tile are those of `base`.
[[nodiscard]] std::vector<KernelChoice> further_choices(const SpaceOptions& options,
                                                        const KernelChoice& base = {});

/// The least power of two that is no less than n, which is 1 at least.
[[nodiscard]] inline std::int64_t power_of_two_from(std::int64_t n)
{
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

} // namespace texelscope::workbench::space
