#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::networks {

/// Extents of a tensor, the slowest dimension first. Empty: a scalar.
using Shape = std::vector<std::int64_t>;

/// Elements of a tensor of that shape.
[[nodiscard]] std::int64_t element_count(const Shape& shape);
/// "1x64x56x56"; "scalar" where there are no dimensions.
[[nodiscard]] std::string to_string(const Shape& shape);
/// Distances, in elements of a row-major tensor, of neighbours along each dimension.
[[nodiscard]] Shape row_major_strides(const Shape& shape);
/// An axis that may be counted from the end, in [-rank, rank). Throws bad_input for one outside of
/// that.
[[nodiscard]] std::size_t axis_in(std::int64_t axis, std::size_t rank);
/// The shape that both broadcast to, as in ONNX and NumPy. Throws bad_input where there is none.
[[nodiscard]] Shape broadcast_shape(const Shape& a, const Shape& b);

/// A constant tensor, row-major: numbers of a network (weights), or integers that say how something
/// is computed (shapes, axes).
struct Array {
    Shape shape;
    std::variant<std::vector<float>, std::vector<std::int64_t>> values;

    [[nodiscard]] bool is_integer() const { return values.index() == 1; }
    [[nodiscard]] const std::vector<float>& reals() const { return std::get<0>(values); }
    [[nodiscard]] const std::vector<std::int64_t>& integers() const { return std::get<1>(values); }
    bool operator==(const Array&) const = default;
};

} // namespace texelscope::networks
