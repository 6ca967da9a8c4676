#pragma once

#include <string>

namespace texelscope::codegen {

struct LoopNest;

/// How the one macro through which a kernel reads texels is lowered.
enum class TexelBackend {
    native, ///< read_imagef
    /// Straight through PoCL's image descriptor; PoCL CPU devices, RGBA float images only.
    pocl_descriptor,
    /// read_imagef, and the coordinates are appended to a buffer: the kernel's own trace.
    record,
};
[[nodiscard]] std::string to_string(TexelBackend backend);
/// Throws bad_input for an unknown name.
[[nodiscard]] TexelBackend parse_texel_backend(const std::string& text);

/// OpenCL C 1.2 text of a nest: header comment (operator, schedule, launch), the texel macro, the
/// kernel. The kernel's arguments are the input images, then the output image (write only); with
/// TexelBackend::record then a global int4 buffer that holds, for each work-item (linear id in its
/// group + group number * group size), its reads in program order as (image, x, y, 1), zero where
/// there was none: reads_per_item(launch) of them.
[[nodiscard]] std::string opencl_text(const LoopNest& nest, TexelBackend backend);

} // namespace texelscope::codegen
