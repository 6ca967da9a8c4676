#pragma once

#include "workbench/network_studies/policies/layout_policy.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

using Dims = std::vector<int>; ///< numbers of dimensions of a tensor

/// A value's dimensions as frameworks name them, outermost first. The packed dimension is the
/// channels; of the others the last is the width, the one before it the height, and what is left is
/// batch. -1: there is none.
struct Axes {
    Dims batch;
    int height = -1;
    int width = -1;
    int channels = -1;
};
[[nodiscard]] Axes axes_of(const ValueToLay& value);

/// The parts one after the other, without dimensions that do not exist (-1).
[[nodiscard]] Dims joined(std::initializer_list<Dims> parts);
[[nodiscard]] codegen::TensorLayout by_sides(const ValueToLay& value, Memory memory, Dims across,
                                             Dims down);
/// Texels of the dimensions multiplied, without gaps.
[[nodiscard]] std::int64_t length(const ValueToLay& value, const Dims& dims);

/// ONNX's name of the operator that a kernel begins with.
[[nodiscard]] std::string op_of(const networks::Plan& plan, const networks::PlannedKernel& planned);
/// Convolutions and pools.
[[nodiscard]] bool is_map_operator(const std::string& op);

/// One texel of four outputs to a work-item.
inline constexpr Dim3 one_texel{4, 1, 1};
/// How many work-items with that tile cover the outputs, along each axis.
[[nodiscard]] Dim3 grid_of(const KernelToTile& kernel, const Dim3& tile);

// Each policy has a file of its own, which says what it follows, and what of the framework it
// leaves out.
[[nodiscard]] LayoutPolicy mnn_policy();
[[nodiscard]] LayoutPolicy mldrift_policy();
[[nodiscard]] LayoutPolicy tvm_policy();
[[nodiscard]] LayoutPolicy executorch_policy();
[[nodiscard]] LayoutPolicy tinygrad_policy();
[[nodiscard]] LayoutPolicy smartmem_policy();

} // namespace texelscope::workbench::network_studies
