#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::networks {

/// Extents of a tensor, outermost dimension first. Empty: a scalar.
using Shape = std::vector<std::int64_t>;

/// Number of elements of a tensor of that shape.
[[nodiscard]] std::int64_t element_count(const Shape& shape);
/// E.g. "1x64x56x56"; "scalar" for a shape without dimensions.
[[nodiscard]] std::string to_string(const Shape& shape);
/// For each dimension, the distance between neighbours along it, in elements of a row-major tensor.
[[nodiscard]] Shape row_major_strides(const Shape& shape);
/// The axis as a number from 0 on; negative numbers count from the end. Throws bad_input unless it
/// is in [-rank, rank).
[[nodiscard]] std::size_t axis_in(std::int64_t axis, std::size_t rank);
/// The shape that both shapes broadcast to, by the rules of ONNX and NumPy. Throws bad_input if
/// there is none.
[[nodiscard]] Shape broadcast_shape(const Shape& a, const Shape& b);

/// The integers that elements of a tensor can be, as the file says. The numbers are kept in 64 bits
/// whatever it is.
struct IntegerType {
    int bits = 64;
    bool is_signed = true;
    bool operator==(const IntegerType&) const = default;
};

/// A constant tensor, row-major: real numbers that a network computes with (weights), or integers
/// that say how a node computes (shapes, axes).
struct Array {
    Shape shape;
    std::variant<std::vector<float>, std::vector<std::int64_t>> values;
    IntegerType type = {}; ///< of integers

    [[nodiscard]] bool is_integer() const { return values.index() == 1; }
    [[nodiscard]] const std::vector<float>& reals() const { return std::get<0>(values); }
    [[nodiscard]] const std::vector<std::int64_t>& integers() const { return std::get<1>(values); }
    bool operator==(const Array&) const = default;
};

} // namespace texelscope::networks
