#include "workbench/network_studies/policies/policy_rules.hpp"
#include "workbench/tuning/baseline_rules.hpp"

namespace texelscope::workbench::network_studies {
namespace {

using codegen::TensorLayout;

TensorLayout mnn_layout(const ValueToLay& value)
{
    const Axes axes = axes_of(value);
    if (value.shape().size() < 4) { // a matrix is a map of one place for each of its rows
        return by_sides(value, Memory::image, joined({{axes.channels}}),
                        joined({axes.batch, {axes.height, axes.width}}));
    }
    if (value.shape()[1] == 1 && axes.channels + 1 == static_cast<int>(value.shape().size())) {
        // With one channel, our texels hold neighbours of a row, so the width stays across.
        return by_sides(value, Memory::image, {axes.channels},
                        joined({axes.batch, {axes.height, axes.width}}));
    }
    return by_sides(value, Memory::image, joined({{axes.channels, axes.width}}),
                    joined({axes.batch, {axes.height}}));
}

KernelRule mnn_kernel(const KernelToTile& kernel)
{
    KernelRule rule;
    switch (kernel.kind) {
    case KernelClass::pointwise:
    case KernelClass::fully_connected:
        rule.tiles = mnn_tiles(true);
        break;
    case KernelClass::convolution:
        rule.tiles = mnn_tiles(false);
        break;
    case KernelClass::depthwise:
        rule.tiles = {{4, 4, 1}};
        break;
    case KernelClass::matrix_product: {
        const std::int64_t limit = kernel.device.limits.work_group_size;
        rule.tiles = {one_texel};
        rule.groups = {{static_cast<std::int32_t>(std::max<std::int64_t>(limit / 64, 1)),
                        static_cast<std::int32_t>(std::min<std::int64_t>(64, limit)), 1}};
        rule.weights = AccessPattern::column;
        break;
    }
    case KernelClass::reduction:
    case KernelClass::other:
        rule.tiles = {one_texel};
        break;
    }
    return rule;
}

} // namespace

/// One kind of memory for everything. Kernels are written for two or three tiles, and MNN runs each
/// with work-groups of powers of two; a product of two activations has a single one.
LayoutPolicy mnn_policy()
{
    return {"mnn",
            "MNN",
            "an image of ceil(C/4) W x N H for everything",
            "github.com/alibaba/MNN, source/backend/opencl: core/OpenCLBackend.cpp (onCreate: "
            "image sides), "
            "core/OpenCLRunningUtils.cpp, execution/image",
            mnn_layout,
            mnn_kernel,
            "MNN leaves the network to the CPU then (alibaba/MNN issue 1567)"};
}

} // namespace texelscope::workbench::network_studies
