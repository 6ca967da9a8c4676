#include "codegen/loop_nest.hpp"

#include <functional>
#include <numeric>

namespace texelscope {
namespace {

/// Calls `visit(texel, component, element)` for every component of every texel; `element` is -1 for padding.
template <class Visit>
void for_each_component(const Operand& operand, const Visit& visit)
{
    std::size_t component_index = 0;
    for (std::int32_t y = 0; y < operand.image.extent.height; ++y) {
        for (std::int32_t x = 0; x < operand.image.extent.width; ++x) {
            for (int component = 0; component < 4; ++component) {
                visit(component_index++, operand.element({x, y}, component));
            }
        }
    }
}

IndexExpr without_names(IndexExpr expression, const LoopNest& nest)
{
    for (auto named = nest.names.rbegin(); named != nest.names.rend(); ++named) {
        expression = expression.substitute(named->variable.slot, named->definition);
    }
    return expression;
}

std::vector<Statement> reads_of(const std::vector<NestStatement>& body, const LoopNest& nest)
{
    std::vector<Statement> reads;
    for (const NestStatement& statement : body) {
        if (const auto* read = std::get_if<NestRead>(&statement)) {
            const AccessFunction& access = read->access;
            reads.emplace_back(
                AccessFunction{access.image, without_names(access.x, nest), without_names(access.y, nest)});
        } else if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            reads.emplace_back(Loop{loop->variable, reads_of(loop->body, nest)});
        }
    }
    return reads;
}

} // namespace

std::int64_t Tensor::size() const
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<float> pack(const Operand& operand, std::span<const float> values)
{
    std::vector<float> texels(static_cast<std::size_t>(operand.image.extent.area()) * 4, 0.0F);
    for_each_component(operand, [&](std::size_t component, std::int64_t element) {
        if (element >= 0) {
            texels[component] = values[static_cast<std::size_t>(element)];
        }
    });
    return texels;
}

std::vector<float> unpack(const Operand& operand, std::span<const float> texels)
{
    std::vector<float> values(static_cast<std::size_t>(operand.tensor.size()), 0.0F);
    for_each_component(operand, [&](std::size_t component, std::int64_t element) {
        if (element >= 0) {
            values[static_cast<std::size_t>(element)] = texels[component];
        }
    });
    return values;
}

Launch launch_of(const LoopNest& nest)
{
    Launch launch;
    launch.kernel = nest.name;
    for (const Operand& input : nest.inputs) {
        launch.images.push_back(input.image);
    }
    launch.groups = nest.groups;
    launch.local = nest.local;
    for (const Guard& guard : nest.guards) {
        launch.guards.push_back({without_names(guard.value, nest), guard.bound});
    }
    launch.body = reads_of(nest.body, nest);
    return launch;
}

bool always_inside(const AccessFunction& access, const Image& image)
{
    const Range x = access.x.bounds();
    const Range y = access.y.bounds();
    return x.min >= 0 && x.max < image.extent.width && y.min >= 0 && y.max < image.extent.height;
}

} // namespace texelscope
