#pragma once

#include "codegen/nest/schedule.hpp"
#include "codegen/nest/tensor_layout.hpp"
#include "traces/image.hpp"
#include "traces/index/index_expr.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// What a tensor is to a convolution: an image (N, spatial axes, C), weights (taps, I, O), or those
/// of a depthwise one (taps, C).
enum class TensorRole { other, activations, weights, depthwise_weights };

/// A tensor as the operator sees it: row-major float32, before it is packed into texels.
struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<std::string> dims = {}; ///< names of the dimensions, for people
    TensorRole role = TensorRole::other;

    [[nodiscard]] std::int64_t size() const;
};

/// A tensor as the kernel sees it: stored in RGBA texels, in an image or in a buffer.
struct Operand {
    Tensor tensor;
    /// Its texels. A buffer counts as an image of one row: texel (i, 0) is the buffer's texel i.
    Image image;
    Memory memory = Memory::image;
    Storage storage = Storage::fp32;
    /// Where an element is stored: column and row of its texel, and its component there (0..3), as
    /// functions of the element's index (the variables of tensor_index(tensor)). No two elements
    /// share a place.
    IndexExpr x;
    IndexExpr y;
    IndexExpr component;
    /// The layout that x, y and component were made from, if they were.
    std::optional<TensorLayout> layout = {};
};

/// One variable for each dimension: slot d, named d0, d1, ..., is an element's index along
/// dimension d.
[[nodiscard]] std::vector<Variable> tensor_index(const Tensor& tensor);

/// An image seen as the tensor [height, width, 4] of its texels.
[[nodiscard]] Operand texel_operand(const std::string& name, Extent2D extent);

/// Puts the elements of a tensor, tensor.size() values in row-major order, where the operand stores
/// them. Returns all texels of the image, row by row, 4 floats each; padding is zero.
[[nodiscard]] std::vector<float> pack(const Operand& operand, std::span<const float> values);
/// The inverse of pack(): the tensor's elements from the texels.
[[nodiscard]] std::vector<float> unpack(const Operand& operand, std::span<const float> texels);

} // namespace texelscope::codegen
