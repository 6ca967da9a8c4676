#include "workbench/network_studies/policies/policy_rules.hpp"
#include "workbench/tuning/baseline_rules.hpp"

namespace texelscope::workbench::network_studies {
namespace {

using codegen::TensorLayout;

/// As GetFastestStorageType() decides, by vendor.
bool has_texture_path(const DeviceProfile& device)
{
    return device.name.starts_with("adreno") || device.name.starts_with("mali");
}

TensorLayout mldrift_layout(const ValueToLay& value)
{
    const Axes axes = axes_of(value);
    if (has_texture_path(value.device)) {
        return by_sides(value, Memory::image, joined({{axes.width}, axes.batch}),
                        joined({{axes.height, axes.channels}}));
    }
    return by_sides(value, Memory::buffer, joined({{axes.width}, axes.batch}),
                    joined({{axes.channels, axes.height}}));
}

KernelRule mldrift_kernel(const KernelToTile& kernel)
{
    KernelRule rule;
    const bool adreno = kernel.device.name.starts_with("adreno");
    rule.weights_in = adreno ? Memory::image : Memory::buffer;
    Dim3 tile = one_texel;
    switch (kernel.kind) {
    case KernelClass::pointwise:
    case KernelClass::convolution:
    case KernelClass::matrix_product:
        tile = tflite_tile({kernel.channels, kernel.width, kernel.height * kernel.planes},
                           kernel.device);
        break;
    case KernelClass::fully_connected: // four work-items share each sum
        rule.tiles = {one_texel};
        rule.groups = {{adreno ? 32 : 16, 1, 1}};
        rule.split = 4;
        rule.weights_in = Memory::buffer;
        return rule;
    case KernelClass::depthwise:
    case KernelClass::reduction:
    case KernelClass::other:
        break;
    }
    rule.tiles = {tile};
    rule.groups = tflite_groups(grid_of(kernel, tile), kernel.device);
    return rule;
}

} // namespace

/// A texture where the vendor's GPU has a path for them, else a buffer of slices. The tile follows
/// from how many waves the grid makes. Work-groups that divide the grid are run, and the fastest is
/// taken. A matrix product of one row shares its sums among four work-items.
LayoutPolicy mldrift_policy()
{
    return {
        "mldrift",
        "ML Drift (TFLite GPU)",
        "by vendor: an image of W B x H ceil(C/4), or a buffer",
        "github.com/google-ai-edge/LiteRT and tensorflow, lite/delegates/gpu: cl/environment.cc "
        "(GetFastestStorageType), common/task/tensor_desc.cc (GetStorageDims), "
        "common/tasks/conv_generic.cc, "
        "common/tasks/fully_connected.cc, common/workgroup_selection.cc",
        mldrift_layout,
        mldrift_kernel,
        nullptr};
}

} // namespace texelscope::workbench::network_studies
