#include "workbench/network_studies/policies/policy_rules.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace texelscope::workbench::network_studies {

using codegen::TensorLayout;
using networks::Plan;
using networks::PlannedKernel;

std::int64_t ValueToLay::texels(int dimension) const
{
    const std::int64_t extent = dimension < 0 ? 1 : shape()[static_cast<std::size_t>(dimension)];
    return dimension >= 0 && dimension == packed() ? codegen::ceil_div(extent, 4) : extent;
}

Axes axes_of(const ValueToLay& value)
{
    Axes axes;
    axes.channels = value.packed();
    for (int d = 0; d < static_cast<int>(value.shape().size()); ++d) {
        if (d != axes.channels) {
            axes.batch.push_back(d);
        }
    }
    for (int* axis : {&axes.width, &axes.height}) {
        if (!axes.batch.empty()) {
            *axis = axes.batch.back();
            axes.batch.pop_back();
        }
    }
    return axes;
}

Dims joined(std::initializer_list<Dims> parts)
{
    Dims all;
    for (const Dims& part : parts) {
        std::ranges::copy_if(part, std::back_inserter(all), [](int d) { return d >= 0; });
    }
    return all;
}

TensorLayout by_sides(const ValueToLay& value, Memory memory, Dims across, Dims down)
{
    TensorLayout layout{.packed = value.packed(), .memory = memory};
    layout.across = std::move(across);
    layout.down = std::move(down);
    return layout;
}

std::int64_t length(const ValueToLay& value, const Dims& dims)
{
    std::int64_t product = 1;
    for (const int d : dims) {
        product *= value.texels(d);
    }
    return product;
}

std::string op_of(const Plan& plan, const PlannedKernel& planned)
{
    return plan.graph.nodes[planned.nodes.front()].op;
}

bool is_map_operator(const std::string& op)
{
    static const std::set<std::string> of_maps{"Conv", "MaxPool", "AveragePool",
                                               "GlobalAveragePool", "GlobalMaxPool"};
    return of_maps.contains(op);
}

Dim3 grid_of(const KernelToTile& kernel, const Dim3& tile)
{
    const auto tiles = [](std::int64_t extent, std::int32_t side) {
        return static_cast<std::int32_t>(codegen::ceil_div(extent, side));
    };
    return {tiles(kernel.channels, tile[0]), tiles(kernel.width, tile[1]),
            tiles(kernel.height, tile[2]) * static_cast<std::int32_t>(kernel.planes)};
}

} // namespace texelscope::workbench::network_studies
