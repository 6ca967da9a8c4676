#pragma once

#include "codegen/text/kernel_source.hpp"

#include <string>
#include <vector>

namespace texelscope::codegen {

/// What the text of a kernel defines before the kernel: where tensors are in half precision, the
/// types and conversions for devices that compute in it and for those that do not; the macros TEXEL
/// and TEXEL_BORDER, through which it reads images; one that picks a component. A part is some
/// whole lines; what the nest does not use is left out.
[[nodiscard]] std::vector<std::string> kernel_head(const LoopNest& nest, TexelBackend backend);

} // namespace texelscope::codegen
