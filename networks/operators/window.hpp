#pragma once

#include "networks/graph/graph.hpp"

#include <array>
#include <cstdint>

namespace texelscope::networks {

/// Where a window of a convolution or pool lies, along depth, rows and columns; a tensor with fewer
/// spatial dimensions has extents of 1 in front.
struct Window {
    using Extents = std::array<std::int64_t, 3>;
    Extents in{1, 1, 1};
    Extents out{1, 1, 1};
    Extents kernel{1, 1, 1};
    Extents stride{1, 1, 1};
    Extents dilation{1, 1, 1};
    Extents before{0, 0, 0}; ///< padding in front
    Extents after{0, 0, 0};
    std::size_t rank = 2; ///< spatial dimensions that the tensor has

    /// Place in the input that a tap of an output reads; outside of [0, in) it is padding.
    [[nodiscard]] std::int64_t place(std::size_t d, std::int64_t output, std::int64_t tap) const
    {
        return output * stride[d] + tap * dilation[d] - before[d];
    }
    /// Shape of a tensor with these two dimensions in front of the spatial ones.
    [[nodiscard]] Shape shape(std::int64_t batch, std::int64_t channels,
                              const Extents& spatial) const;
};

/// Number of places in a box.
[[nodiscard]] inline std::int64_t volume(const Window::Extents& extents)
{
    return extents[0] * extents[1] * extents[2];
}

/// Strides that number taps as tap = sum of place * stride over depth, rows and columns, in the
/// order of taps. They leave gaps, so that places behind the kernel's end, which a transposed
/// window finds, have numbers of their own.
[[nodiscard]] Window::Extents tap_strides(const Window& window);
/// The number, with these strides, of a tap that is counted densely over the kernel's extents.
[[nodiscard]] std::int64_t tap_number(const Window& window, std::int64_t tap);

/// The window that a node's attributes describe: strides, dilations, pads or auto_pad, and
/// ceil_mode, as in ONNX. `input`: N, C and one to three further dimensions. Throws bad_input where
/// they do not fit, or no output is left.
[[nodiscard]] Window window_of(const Attributes& attributes, const Shape& input,
                               const std::vector<std::int64_t>& kernel);

/// The window of a transposed convolution. It is that of the convolution whose transpose it is, so
/// that the node's input is `out` here.
[[nodiscard]] Window transposed_window_of(const Attributes& attributes, const Shape& input,
                                          const std::vector<std::int64_t>& kernel);

/// One over the number of places that each window of an average counts, over depth, rows and
/// columns; a single number where all count as many. `with_padding`: padding that was asked for
/// counts as well.
[[nodiscard]] std::vector<float> window_shares(const Window& window, bool with_padding);

/// What an LRN says: the channels around one whose squares count, from `before` it on, and the
/// numbers of its formula.
struct LrnChannels {
    std::int64_t size = 1;
    std::int64_t before = 0;
    double alpha = 0, beta = 0, bias = 0;
};
[[nodiscard]] LrnChannels lrn_channels(const Node& node);

} // namespace texelscope::networks
