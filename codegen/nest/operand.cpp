#include "codegen/nest/operand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace texelscope::codegen {
namespace {

/// Calls `visit(element, at)` for every element of the tensor, in order; `at` is its place in
/// memory, counted in components from the first texel's on. Index expressions are evaluated for a
/// whole row of elements at a time.
template <class Visit>
void for_each_element(const Operand& operand, const Visit& visit)
{
    const std::vector<std::int64_t> scalar{1};
    const std::vector<std::int64_t>& shape =
        operand.tensor.shape.empty() ? scalar : operand.tensor.shape;
    const auto row = static_cast<std::size_t>(shape.back());
    const std::size_t rank = shape.size();
    std::vector<std::vector<std::int32_t>> columns(rank, std::vector<std::int32_t>(row, 0));
    std::iota(columns.back().begin(), columns.back().end(), 0);
    const std::vector<std::span<const std::int32_t>> spans(columns.begin(), columns.end());
    std::vector<std::int32_t> x(row);
    std::vector<std::int32_t> y(row);
    std::vector<std::int32_t> component(row);
    const auto width = static_cast<std::size_t>(operand.image.extent.width);
    const auto size = static_cast<std::size_t>(operand.tensor.size());
    for (std::size_t first = 0; first < size; first += row) {
        std::size_t rest = first / row;
        for (std::size_t d = rank - 1; d-- > 0;) {
            const auto extent = static_cast<std::size_t>(shape[d]);
            std::fill(columns[d].begin(), columns[d].end(),
                      static_cast<std::int32_t>(rest % extent));
            rest /= extent;
        }
        operand.x.evaluate(spans, x);
        operand.y.evaluate(spans, y);
        operand.component.evaluate(spans, component);
        for (std::size_t i = 0; i < row; ++i) {
            visit(first + i,
                  (static_cast<std::size_t>(y[i]) * width + static_cast<std::size_t>(x[i])) * 4 +
                      static_cast<std::size_t>(component[i]));
        }
    }
}

} // namespace

std::int64_t Tensor::size() const
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<float> pack(const Operand& operand, std::span<const float> values)
{
    std::vector<float> texels(static_cast<std::size_t>(operand.image.extent.area()) * 4, 0.0F);
    for_each_element(operand,
                     [&](std::size_t element, std::size_t at) { texels[at] = values[element]; });
    return texels;
}

std::vector<float> unpack(const Operand& operand, std::span<const float> texels)
{
    std::vector<float> values(static_cast<std::size_t>(operand.tensor.size()), 0.0F);
    for_each_element(operand,
                     [&](std::size_t element, std::size_t at) { values[element] = texels[at]; });
    return values;
}

std::vector<Variable> tensor_index(const Tensor& tensor)
{
    std::vector<Variable> variables;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
        variables.push_back({static_cast<int>(d), fmt::format("d{}", d), {0, tensor.shape[d] - 1}});
    }
    return variables;
}

Operand texel_operand(const std::string& name, Extent2D extent)
{
    Operand operand;
    operand.tensor = {name, {extent.height, extent.width, 4}};
    operand.image = {.name = name, .extent = extent};
    const std::vector<Variable> index = tensor_index(operand.tensor);
    operand.y = IndexExpr(index[0]);
    operand.x = IndexExpr(index[1]);
    operand.component = IndexExpr(index[2]);
    return operand;
}

} // namespace texelscope::codegen
