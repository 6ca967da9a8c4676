#pragma once

#include "codegen/operators/bilinear.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::codegen {

/// Which convolution. `rank`: spatial axes, the last two are height and width, one before them is
/// depth. `depthwise`: every channel by itself. `transposed`: the output is larger than the input,
/// as where a gradient is propagated.
struct ConvFamily {
    std::string_view name;
    int rank = 2;
    bool depthwise = false;
    bool transposed = false;
};
inline constexpr ConvFamily conv2d_family{"conv2d", 2, false, false};
inline constexpr ConvFamily conv3d_family{"conv3d", 3, false, false};
inline constexpr ConvFamily deconv2d_family{"deconv2d", 2, false, true};
inline constexpr ConvFamily dwconv2d_family{"dwconv2d", 2, true, false};

/// Names of the sizes in a shape: "N,H,W,CIN,COUT,KH,KW,STRIDE".
[[nodiscard]] std::string conv_sizes(const ConvFamily& family);

/// One spatial axis. A convolution relates a coarse image (its output) to a fine one (its input):
///
///     fine index = coarse index * stride + kernel index - before
///
/// A transposed convolution has the same relation with the fine image as its output.
struct ConvAxis {
    char letter = 'w'; ///< d, h or w
    std::int64_t fine = 1;
    std::int64_t coarse = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    /// Padding in front of the fine image; what lies behind it follows from the sizes.
    std::int64_t before = 0;
};

/// An operator of a family: Y from X and W, or dX from dY and W, or dW from X and dY. Images are
/// laid out NHWC, weights [KH,KW,CIN,COUT] ([KH,KW,C] depthwise), with the input's channels first
/// in transposed convolutions too.
struct Convolution {
    ConvFamily family;
    Pass pass = Pass::forward;
    std::vector<std::int64_t> shape = {}; ///< of the forward operator in all three passes
    std::string padding = {};             ///< "same", "valid" or a number
    std::int64_t batch = 1;
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;   ///< the same number where depthwise
    std::vector<ConvAxis> axes = {}; ///< outermost first

    [[nodiscard]] std::string name() const; ///< "conv2d", "conv2d_dx", "conv2d_dw"
    [[nodiscard]] BilinearMap tensors() const;
    /// Whether the pass computes the fine image, rather than the coarse one or the weights.
    [[nodiscard]] bool computes_fine() const;
    /// Products of which neither factor is padding. The same number in all three passes.
    [[nodiscard]] double products() const;
};

/// `shape`: the sizes that conv_sizes() names. `padding`: "same" (also if empty), "valid", or how
/// many zeros are on every side. With input size H, kernel K and stride s along an axis, the output
/// has
///   same:   ceil(H/s); padding max((OH-1)*s + K - H, 0) in all, half of it (rounded down) in front
///   valid:  floor((H-K)/s) + 1
///   p:      floor((H+2p-K)/s) + 1
/// and where transposed
///   same:   H*s; padding as for a convolution from H*s to H
///   valid:  (H-1)*s + K
///   p:      (H-1)*s + K - 2p
/// Throws bad_input for a wrong number of sizes, one out of range (limits.hpp), other padding, and
/// an output that is empty or has a size out of range.
[[nodiscard]] Convolution convolution(const ConvFamily& family, Pass pass,
                                      const std::vector<std::int64_t>& shape,
                                      const std::string& padding = {});

} // namespace texelscope::codegen
