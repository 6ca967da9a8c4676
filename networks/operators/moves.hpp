#pragma once

#include "networks/graph/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace texelscope::networks {

// What nodes say that only move numbers: where the numbers come from, worked out from the
// attributes once, for the references (movement.cpp), the kernels (networks/lowering) and the
// gradients (networks/training). All functions throw bad_input for attributes that do not fit the
// input's shape.

/// For a transpose: the input's dimension that each dimension of the output is. It is the attribute
/// perm, or by default all dimensions in reverse order.
[[nodiscard]] std::vector<std::size_t> permutation(const Node& node, std::size_t rank);

/// For a slice: along each dimension the first place, the step to the next, and the number of
/// places.
struct Slices {
    Shape starts, steps, shape;
};
[[nodiscard]] Slices slices_of(const Node& node, const Shape& input);

/// The padding in front and behind, along each dimension.
[[nodiscard]] std::pair<Shape, Shape> pads_of(const Node& node, const Shape& input);
/// The number that padding is filled with.
[[nodiscard]] double padding_value(const Node& node);

/// The attribute blocksize, b, of DepthToSpace, which turns N, C, H, W into N, C / b^2, H b, W b.
[[nodiscard]] std::int64_t depth_blocks(const Node& node, const Shape& input);

} // namespace texelscope::networks
