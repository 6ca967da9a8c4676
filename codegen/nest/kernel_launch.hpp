#pragma once

#include "codegen/nest/half_sums.hpp"
#include "codegen/nest/operand.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

struct LoopNest;

/// A tensor as an argument of the kernel.
struct KernelArgument {
    const Operand& operand; ///< an operand of the nest; the nest must outlive this
    bool written = false;   ///< else it is read

    /// "read_only" or "write_only" of an image; "global const" or "global" of a buffer.
    [[nodiscard]] std::string qualifier() const;
    /// As the kernel declares it: "read_only image2d_t A".
    [[nodiscard]] std::string declaration() const;
};

/// The tensors in the order of the kernel's arguments: the inputs, then the output.
[[nodiscard]] std::vector<KernelArgument> kernel_arguments(const LoopNest& nest);

/// Work-items of the launch along each dimension, those that fail a guard included.
[[nodiscard]] Dim3 global_size(const LoopNest& nest);

/// Bytes of the arrays that a work-group shares in local memory.
[[nodiscard]] std::int64_t local_memory_bytes(const LoopNest& nest,
                                              Precision arithmetic = Precision::fp32);
/// The same for a work-group of `items` work-items instead of the nest's own. It holds only for
/// kernels that copy no blocks (Schedule::stage), as the arrays of these depend on the group's
/// shape.
[[nodiscard]] std::int64_t local_memory_bytes(const LoopNest& nest, Precision arithmetic,
                                              std::int64_t items);

/// Options that kernel text is built with: the version of the language that it is written in, and
/// no warnings.
inline constexpr const char* kernel_build_options = "-cl-std=CL1.2 -w";
/// A further build option: it makes a kernel compute in float32 on every device.
inline constexpr const char* float_arithmetic_option = "-DFLOAT_ARITHMETIC";

} // namespace texelscope::codegen
