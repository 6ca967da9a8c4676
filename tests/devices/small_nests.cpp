#include "tests/devices/small_nests.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <random>

namespace texelscope::test {
using namespace codegen;

namespace {

constexpr Dim3 local{8, 4, 1};

std::int32_t groups_for(std::int32_t extent, std::int32_t group)
{
    return (extent + group - 1) / group;
}

/// A nest whose work-items are the texels of its output; `x` and `y` name them.
struct Grid {
    LoopNest nest;
    IndexExpr x;
    IndexExpr y;
};

Grid texel_grid(Extent2D extent)
{
    Grid grid;
    grid.nest.groups = {groups_for(extent.width, local[0]), groups_for(extent.height, local[1]), 1};
    grid.nest.local = local;
    const auto item = work_item_variables(grid.nest.groups, local);
    const auto name = [&](int index, const char* text, int group, int id, std::int32_t bound) {
        // as the guards promise
        const Variable named{LoopNest::first_named_slot + index, text, {0, bound - 1}};
        grid.nest.names.push_back({named, IndexExpr(item[static_cast<std::size_t>(group)]) *
                                                  local[static_cast<std::size_t>(id)] +
                                              IndexExpr(item[static_cast<std::size_t>(id)])});
        return IndexExpr(named);
    };
    grid.x = name(0, "x", slots::group_x, slots::local_x, extent.width);
    grid.y = name(1, "y", slots::group_y, slots::local_y, extent.height);
    grid.nest.guards = {{grid.x, extent.width}, {grid.y, extent.height}};
    grid.nest.output = texel_operand("result", extent);
    return grid;
}

} // namespace

LoopNest shifted_copy(Extent2D extent, Texel shift)
{
    Grid grid = texel_grid(extent);
    grid.nest.name = "shifted_copy";
    grid.nest.operator_text = "copy";
    grid.nest.inputs = {texel_operand("source", extent)};
    const NestValue value = grid.nest.add_value("value", 4);
    grid.nest.body = {NestRead{value, {0, grid.x + shift.x, grid.y + shift.y}},
                      NestWrite{grid.x, grid.y, {}, value}};
    return grid.nest;
}

std::vector<float> shifted(const std::vector<float>& texels, Extent2D extent, Texel shift)
{
    std::vector<float> result;
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            const Texel from{x + shift.x, y + shift.y};
            for (int component = 0; component < 4; ++component) {
                const std::int64_t at =
                    (std::int64_t{from.y} * extent.width + from.x) * 4 + component;
                result.push_back(extent.contains(from) ? texels[static_cast<std::size_t>(at)]
                                                       : 0.0F);
            }
        }
    }
    return result;
}

LoopNest component_product(std::int32_t width, std::int32_t height, std::int32_t depth)
{
    Grid grid = texel_grid({width, height});
    grid.nest.name = "component_product";
    grid.nest.operator_text = "product";
    grid.nest.inputs = {texel_operand("a", {depth, height}), texel_operand("b", {width, depth})};
    const Variable k{slots::first_loop_slot, "k", {0, depth - 1}};
    const NestValue sum = grid.nest.add_value("sum", 4);
    const NestValue left = grid.nest.add_value("left", 4);
    const NestValue right = grid.nest.add_value("right", 4);
    grid.nest.body = {NestDeclare{sum, NumberExpr(0.0).vector(NumberType::single, 4), false},
                      NestLoop{k,
                               {NestRead{left, {0, IndexExpr(k), grid.y}},
                                NestRead{right, {1, grid.x, IndexExpr(k)}},
                                NestAssign{sum, left * right, NestAssign::How::add}}},
                      NestWrite{grid.x, grid.y, {}, sum}};
    return grid.nest;
}

std::vector<float> random_texels(Extent2D extent, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<float> texels(static_cast<std::size_t>(extent.area() * 4));
    for (float& component : texels) {
        component = static_cast<float>(1 + random() % 64);
    }
    return texels;
}

} // namespace texelscope::test
