#pragma once

#include "networks/graph/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace texelscope::networks {

// Where the numbers of nodes that only move them come from, worked out from attributes. All throw
// bad_input for attributes that do not fit the input's shape.

/// Of a transpose: the input's dimension for each of the output's; perm, or the dimensions in
/// reverse.
[[nodiscard]] std::vector<std::size_t> permutation(const Node& node, std::size_t rank);

/// Along each dimension: the first place, and the step to the next.
struct Slices {
    Shape starts, steps, shape;
};
[[nodiscard]] Slices slices_of(const Node& node, const Shape& input);

/// Padding in front and behind, along each dimension.
[[nodiscard]] std::pair<Shape, Shape> pads_of(const Node& node, const Shape& input);
/// The number that padding is filled with.
[[nodiscard]] double padding_value(const Node& node);

/// N, C, H, W with C blocks x blocks: to N, C / blocks^2, H blocks, W blocks.
[[nodiscard]] std::int64_t depth_blocks(const Node& node, const Shape& input);

} // namespace texelscope::networks
