#pragma once

#include "base/layers.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::codegen {

struct Tensor;
struct TensorLayout;

/// How frameworks for phones lay the tensors of convolutions out in images. "Rows x columns" are
/// of texels; C/4 and O/4 count texels of four channels.
///
/// | word       | activations N, H, W, C  | weights O, I, KH, KW    |
/// | tvm        | N*C/4*H x W             | O/4*I*KH x KW           |
/// | tvm-nhwc   | N*H x W*C/4             | KH*KW*I x O/4           |
/// | tvm-weight | N x C/4*H*W             | O/4 x I*KH*KW           |
/// | mnn        | N*H x C/4*W             | O/4*KH*KW x I           |
/// | tflite     | H*C/4 x W*N             | none                    |
/// | tvm-nhwc-rows | N*H*W x C/4          | none                    |
///
/// Depthwise weights have no I; those of MNN are O/4 x KH*KW. Sources: TVM's texture scopes
/// "texture", "texture-nhwc" and "texture-weight" (src/runtime/texture.h) over the tensors of its
/// Adreno schedules (topi/adreno); MNN's image format (source/backend/opencl/core); TENSOR_2D of
/// TFLite's GPU delegate (tensorflow/lite/delegates/gpu/common/task/tensor_desc.cc).
enum class FrameworkLayout {
    own, ///< the access pattern decides; the first, so that it is FrameworkLayout{}
    tvm,
    tvm_nhwc,
    tvm_weight,
    mnn,
    tflite,
    tvm_nhwc_rows,
};
/// Their words, in the order of the enumeration.
[[nodiscard]] const std::vector<std::string>& framework_layout_names();

/// Whether the framework has a layout for a tensor; `layout` is not own.
[[nodiscard]] bool has_layout(FrameworkLayout layout, const Tensor& tensor);

/// The layout of a tensor; `layout` is not own. Memory, storage and what is asked for are left to
/// the caller. Throws bad_input where the framework has none for such a tensor.
[[nodiscard]] TensorLayout layout_of_framework(FrameworkLayout layout, const Tensor& tensor);

} // namespace texelscope::codegen
