#include "workbench/network_studies/policies/policy_rules.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace texelscope::workbench::network_studies {
namespace {

using codegen::TensorLayout;

TensorLayout tvm_layout(const ValueToLay& value)
{
    const Axes axes = axes_of(value);
    const Dims plain = joined({axes.batch, {axes.channels, axes.height, axes.width}});
    const auto of_map = [&](std::size_t kernel) {
        return is_map_operator(op_of(value.plan, value.plan.kernels[kernel]));
    };
    // A texture only if its maker and all of its readers know textures.
    bool texture = axes.channels >= 0 && value.shape().size() == 4 && !value.readers.empty() &&
                   std::ranges::all_of(value.readers, [&](const ValueReader& reader) {
                       return of_map(reader.kernel);
                   });
    for (std::size_t k = 0; k < value.plan.kernels.size(); ++k) {
        texture = texture && (value.plan.kernels[k].kernel.output != value.value || of_map(k));
    }
    // Of all ways to cut N, C/4, H, W in two, the one whose sides differ least.
    constexpr std::int64_t limit = 16384;
    std::optional<std::size_t> best;
    std::int64_t least = 0;
    for (std::size_t cut = plain.size(); texture && cut-- > 1;) {
        const std::int64_t down =
            length(value, {plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(cut)});
        const std::int64_t across =
            length(value, {plain.begin() + static_cast<std::ptrdiff_t>(cut), plain.end()});
        const std::int64_t apart = std::abs(down - across);
        if (down < limit && across < limit && (!best || apart <= least)) {
            best = cut;
            least = apart;
        }
    }
    if (!best) {
        const bool map = axes.channels >= 0 && value.shape().size() == 4;
        Dims row_major;
        for (int d = 0; d < static_cast<int>(value.shape().size()); ++d) {
            row_major.push_back(d);
        }
        return by_sides(value, Memory::buffer, map ? plain : row_major, {});
    }
    const auto cut = plain.begin() + static_cast<std::ptrdiff_t>(*best);
    return by_sides(value, Memory::image, {cut, plain.end()}, {plain.begin(), cut});
}

KernelRule tvm_kernel(const KernelToTile& kernel)
{
    KernelRule rule;
    const bool maps = kernel.kind == KernelClass::convolution ||
                      kernel.kind == KernelClass::depthwise ||
                      kernel.kind == KernelClass::pointwise;
    rule.weights_in = maps ? Memory::image : Memory::buffer;
    return rule;
}

} // namespace

/// Textures where the maker of a value and all of its readers are convolutions or pools in NCHW4c.
/// This is the rule of Relay, whose textures are 2D (Relax has arrays of them). Tile and work-group
/// are tuned; weights of maps are textures, too.
LayoutPolicy tvm_policy()
{
    return {"tvm",
            "TVM",
            "an image where maker and readers are of maps, cut where its sides differ least; else "
            "a buffer",
            "github.com/apache/tvm (0.8 to 0.18): src/relay/transforms/annotate_texture_storage.cc "
            "(Scope, "
            "SupportsTextureStorage), src/runtime/texture.h, python/tvm/topi/adreno",
            tvm_layout,
            tvm_kernel,
            nullptr};
}

} // namespace texelscope::workbench::network_studies
