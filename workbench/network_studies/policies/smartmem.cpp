#include "workbench/network_studies/policies/policy_rules.hpp"

#include <algorithm>

namespace texelscope::workbench::network_studies {
namespace {

using codegen::TensorLayout;

/// The dimensions along which a reader sums, in its order, as far as its index has them unchanged.
Dims summed_dims(const ValueToLay& value, const ValueReader& reader)
{
    const networks::NodeKernel& kernel = value.plan.kernels[reader.kernel].kernel;
    Dims dims;
    if (!kernel.contraction) { // softmax and normalization go along their axis
        const auto axis = kernel.packs.find(reader.input);
        return axis == kernel.packs.end() || axis->second < 0 ? Dims{} : Dims{axis->second};
    }
    const auto& index = kernel.contraction->inputs[reader.input].index;
    for (const int slot : kernel.contraction->reductions) {
        for (std::size_t d = 0; d < index.size(); ++d) {
            const codegen::Variable* const variable = index[d].as_variable();
            if (variable != nullptr && variable->slot == slot &&
                value.texels(static_cast<int>(d)) > 1) {
                dims.push_back(static_cast<int>(d));
            }
        }
    }
    return dims;
}

TensorLayout smartmem_layout(const ValueToLay& value)
{
    const Axes axes = axes_of(value);
    Dims summed;
    for (const ValueReader& reader : value.readers) {
        for (const int d : summed_dims(value, reader)) {
            if (std::ranges::find(summed, d) == summed.end()) {
                summed.push_back(d);
            }
        }
    }
    // The first of these dimensions goes along rows of texels, the second down, each innermost. Of
    // a value with two dimensions, each has a side of its own; of maps, the width goes across, so
    // that no side is much longer than the other.
    const Dims all = joined({axes.batch, {axes.height, axes.width, axes.channels}});
    Dims long_ones;
    std::ranges::copy_if(all, std::back_inserter(long_ones),
                         [&](int d) { return value.texels(d) > 1; });
    Dims across = joined({{axes.width, axes.channels}});
    if (long_ones.size() == 2) {
        across = {long_ones.back()};
    }
    Dims down;
    std::ranges::copy_if(all, std::back_inserter(down),
                         [&](int d) { return std::ranges::find(across, d) == across.end(); });
    const auto move_to = [&](Dims& side, int d) {
        std::erase(across, d);
        std::erase(down, d);
        side.push_back(d);
    };
    if (!summed.empty()) {
        move_to(across, summed[0]);
    }
    if (summed.size() > 1) {
        move_to(down, summed[1]);
    } else if (long_ones.size() == 2 && !summed.empty() && summed[0] == long_ones.front()) {
        move_to(down, long_ones.back());
    }
    return by_sides(value, Memory::image, across, down);
}

KernelRule smartmem_kernel(const KernelToTile&)
{
    return {};
}

} // namespace

/// Texels are stored along the dimensions that the readers sum over, the first across and the
/// second down. Block dimensions and tiles are searched. SmartMem also removes reshapes and
/// transposes; that is not here, as fusion is ours for all policies.
LayoutPolicy smartmem_policy()
{
    return {"smartmem",
            "SmartMem",
            "an image whose rows go along what the readers sum over, columns along a second such",
            "Niu et al., ASPLOS 2024, sections 3.2.2 and 3.3",
            smartmem_layout,
            smartmem_kernel,
            "the paper does not say what SmartMem does then"};
}

} // namespace texelscope::workbench::network_studies
