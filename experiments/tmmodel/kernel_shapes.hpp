#pragma once

#include "codegen/operators/operator.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// A kernel of TMModel's table 3 at a few of its shapes.
struct PaperKernel {
    std::string name; ///< as in the paper
    std::vector<Operator> shapes;
};

/// The nine kernels, each at two or three shapes in the table's ranges, small to large: 2^4 to 2^12
/// of a matrix product, to 2^10 of softmax and layernorm, of convolutions 2^4 with 3x3 and 2^8 with
/// 5x5 taps (2^4 and 2^6 with 3x3x3), padding "same". Larger ones take long to simulate. The table
/// does not say which sizes go together: matrices are square, and images have the channels of
/// image_channels().
[[nodiscard]] std::vector<PaperKernel> table3_kernels();

/// Channels that go with an image of that many rows and columns: fewer the larger it is, as in
/// networks, so that the multiply-adds of a convolution grow less than its texels: 2^10 / side,
/// between 16 and 64.
[[nodiscard]] std::int64_t image_channels(std::int64_t side);

/// conv2d of a square image, stride 1, as many channels out as in, a square kernel.
[[nodiscard]] Operator square_conv2d(std::int64_t side, std::int64_t taps);

/// conv2d with stride 1 in all input sizes of table 3: sides of 2^4 to 2^9, kernels of 3, 5 and 7.
[[nodiscard]] std::vector<Operator> table3_conv2d_shapes();

} // namespace texelscope::experiments
