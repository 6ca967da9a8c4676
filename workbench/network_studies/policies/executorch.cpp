#include "workbench/network_studies/policies/policy_rules.hpp"

#include <algorithm>
#include <array>

namespace texelscope::workbench::network_studies {
namespace {

using codegen::TensorLayout;

TensorLayout executorch_layout(const ValueToLay& value)
{
    // A 3D image of width, height and layers, one layer for each four channels of each sample. Here
    // the layers lie below each other in a 2D image.
    const auto rank = static_cast<int>(value.shape().size());
    TensorLayout layout{.thread = rank - 1,
                        .reduction = rank - 2 >= 0 ? rank - 2 : -1,
                        .packed = value.packed(),
                        .pattern = AccessPattern::column};
    constexpr std::int64_t side = 16384;
    constexpr std::int64_t most_layers = 2048;
    std::int64_t layers = 1;
    for (int d = 0; d < rank - 2; ++d) {
        layers *= value.texels(d);
    }
    const bool fits = rank <= 4 && value.texels(layout.thread) <= side && layers <= most_layers &&
                      (layout.reduction < 0 || value.texels(layout.reduction) <= side);
    // What a kernel that knows images only reads or makes must be an image.
    const auto images_alone = [&](std::size_t kernel) {
        return is_map_operator(op_of(value.plan, value.plan.kernels[kernel]));
    };
    bool needs_image = std::ranges::any_of(
        value.readers, [&](const ValueReader& reader) { return images_alone(reader.kernel); });
    for (std::size_t k = 0; k < value.plan.kernels.size(); ++k) {
        needs_image =
            needs_image || (value.plan.kernels[k].kernel.output == value.value && images_alone(k));
    }
    if (!fits && !needs_image) {
        layout.memory = Memory::buffer;
        layout.pattern = AccessPattern::row;
    }
    return layout;
}

/// Work-items by the lengths of the grid's sides: 8 along the longest, 4 along the next, 2 along
/// the shortest. With two sides 16 and 4, or 32 and 2; with one side 64.
Dim3 executorch_group(const Dim3& grid)
{
    std::array<std::size_t, 3> order{0, 1, 2};
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return grid[a] > grid[b]; });
    const auto extent = [&](std::size_t place) { return grid[order[place]]; };
    Dim3 group{1, 1, 1};
    group[order[0]] = 8;
    group[order[1]] = std::min(4, extent(1));
    group[order[2]] = std::min(2, extent(2));
    if (extent(2) == 1 && extent(1) == 1) {
        group[order[0]] = 64;
    } else if (extent(2) == 1) {
        const bool fours = extent(1) % 4 == 0;
        group[order[0]] = fours ? 16 : 32;
        group[order[1]] = fours ? 4 : 2;
    }
    return group;
}

KernelRule executorch_kernel(const KernelToTile& kernel)
{
    KernelRule rule;
    switch (kernel.kind) {
    case KernelClass::pointwise:
        rule.tiles = {{4, 2, 2}};
        break;
    case KernelClass::depthwise:
        rule.tiles = {{4, 4, 2}};
        break;
    case KernelClass::fully_connected:
    case KernelClass::matrix_product:
        rule.tiles = {{4, 4, 1}};
        break;
    case KernelClass::convolution:
    case KernelClass::reduction:
    case KernelClass::other:
        rule.tiles = {one_texel};
        break;
    }
    const Dim3 grid = grid_of(kernel, rule.tiles.front());
    const bool flat =
        kernel.kind == KernelClass::pointwise || kernel.kind == KernelClass::depthwise;
    if (flat) { // 64 in the order of width, height, channels
        constexpr std::int32_t all = 64;
        std::int32_t width = 1;
        while (width < all && width < grid[1]) {
            width *= 2;
        }
        rule.groups = {{1, width, all / width}};
    } else {
        rule.groups = {executorch_group(grid)};
    }
    return rule;
}

} // namespace

/// Memory is the intersection of what the maker and the users of a value allow, images first.
/// Nothing is tuned: the operator decides the outputs of a work-item, the sides of the grid decide
/// the work-group.
LayoutPolicy executorch_policy()
{
    return {"executorch",
            "ExecuTorch (Vulkan)",
            "a 3D image of W x H x N C/4 where maker and users allow it, else a buffer",
            "github.com/pytorch/executorch, backends/vulkan: _passes/tag_memory_meta_pass.py, "
            "op_registry.py, utils.py "
            "(required_image_extents), runtime/graph/ComputeGraph.cpp (create_local_wg_size), "
            "runtime/graph/ops/impl/Convolution.cpp",
            executorch_layout,
            executorch_kernel,
            "ExecuTorch does not delegate such a node"};
}

} // namespace texelscope::workbench::network_studies
