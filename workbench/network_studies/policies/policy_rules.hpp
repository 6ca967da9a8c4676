#pragma once

#include "workbench/network_studies/policies/layout_policy.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

using Dims = std::vector<int>; ///< of a tensor, by number

/// A value's dimensions as frameworks name them, outermost first. What is packed are channels; of
/// the others the last is the width, the one before it the height, and what is left is batch. -1:
/// there is none.
struct Axes {
    Dims batch;
    int height = -1;
    int width = -1;
    int channels = -1;
};
[[nodiscard]] Axes axes_of(const ValueToLay& value);

/// One after the other, without those that there are not.
[[nodiscard]] Dims joined(std::initializer_list<Dims> parts);
[[nodiscard]] codegen::TensorLayout by_sides(const ValueToLay& value, Memory memory, Dims across,
                                             Dims down);
/// Texels of the dimensions multiplied, without gaps.
[[nodiscard]] std::int64_t length(const ValueToLay& value, const Dims& dims);

/// ONNX's name of the operator that a kernel begins with.
[[nodiscard]] std::string op_of(const networks::Plan& plan, const networks::PlannedKernel& planned);
/// Convolutions and pools.
[[nodiscard]] bool is_map_operator(const std::string& op);

inline constexpr Dim3 one_texel{4, 1, 1};
/// As many whole work-items of a tile as the outputs take.
[[nodiscard]] Dim3 grid_of(const KernelToTile& kernel, const Dim3& tile);

// Each has its file, which says what it follows, and what of it is not here.
[[nodiscard]] LayoutPolicy mnn_policy();
[[nodiscard]] LayoutPolicy mldrift_policy();
[[nodiscard]] LayoutPolicy tvm_policy();
[[nodiscard]] LayoutPolicy executorch_policy();
[[nodiscard]] LayoutPolicy tinygrad_policy();
[[nodiscard]] LayoutPolicy smartmem_policy();

} // namespace texelscope::workbench::network_studies
