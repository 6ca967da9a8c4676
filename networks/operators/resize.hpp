#pragma once

#include "networks/graph/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::networks {

// What a Resize says: of which places of the input each place of the output is made, dimension by
// dimension, as its modes are separable. It is worked out from the attributes once, for the
// reference (resize.cpp) and the kernels (networks/lowering). All functions throw bad_input for
// attributes that do not fit the input's shape.

/// Along one dimension: both extents, and the scale that ONNX's formulas have.
struct ResizedAxis {
    std::int64_t in = 1;
    std::int64_t out = 1;
    double scale = 1;

    [[nodiscard]] bool changes() const { return in != out || scale != 1; }
};
[[nodiscard]] std::vector<ResizedAxis> resized_axes(const Node& node, const Shape& input);

/// A place of the input, and its share in a place of the output.
struct ResizeTap {
    std::int64_t place = 0;
    double weight = 1;
};
/// Of one place of the output: `first` is where its taps would begin if the input went on beyond
/// its ends; `taps` are within it, ascending.
struct ResizedPlace {
    std::int64_t first = 0;
    std::vector<ResizeTap> taps;
};
/// For each place of the output along that axis.
[[nodiscard]] std::vector<ResizedPlace> resized_places(const Node& node, const ResizedAxis& axis);

/// How far its places lie from each other in the input.
[[nodiscard]] double resized_distance(const Node& node, const ResizedAxis& axis);

} // namespace texelscope::networks
