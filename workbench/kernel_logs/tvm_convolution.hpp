#pragma once

#include "workbench/kernel_logs/autotvm_log.hpp"
#include "workbench/kernel_logs/tvm_images.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace texelscope::workbench::kernel_logs {

/// Which template a convolution is from.
struct ConvTemplate {
    std::string name;
    bool depthwise = false;
    bool nhwc = false;       ///< else NCHW
    bool float_sums = false; ///< sums in float32 whatever the types say
};

/// One axis of a convolution's input: of all lengths in elements.
struct WindowAxis {
    std::int64_t input = 1; ///< with the padding, and as far as any window reaches
    std::int64_t kernel = 1;
    std::int64_t output = 1;
};

/// The arguments of a row, as TVM's schedules take them.
struct TvmConvolution {
    std::int64_t in_texels = 1;  ///< channels / 4, rounded up
    std::int64_t out_texels = 1; ///< the same number where depthwise
    /// Input channels of the weights as they lie in memory: not rounded up.
    std::int64_t weight_channels = 1;
    WindowAxis height, width;
    std::int64_t stride = 1;
    bool half = false;       ///< numbers are stored as float16
    bool float_sums = false; ///< sums are in float32
};

/// Reads the arguments. Throws bad_input, with the reason, for what our convolutions cannot say:
/// more than one image, strides that differ, dilation, depth multipliers, other types.
[[nodiscard]] TvmConvolution convolution_of(const LogRow& row, const ConvTemplate& of);

/// Where the inputs lie while tuning.
struct TvmPlaces {
    std::string data, weights;      ///< words of a schedule's part F
    bool weights_in_buffer = false; ///< else in an image, as the data always do
};
/// Throws bad_input where an image is one that no layout of ours says.
[[nodiscard]] TvmPlaces places_of(const LogRow& row, const ConvTemplate& of,
                                  const TvmConvolution& conv);

} // namespace texelscope::workbench::kernel_logs
