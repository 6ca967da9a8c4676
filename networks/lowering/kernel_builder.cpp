#include "networks/lowering/kernel_builder.hpp"

#include "codegen/operators/contraction_operator.hpp"
#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace texelscope::networks {

using codegen::Contraction;
using codegen::IndexExpr;

namespace {

constexpr std::array factor_names{"X", "W"};

/// The slot of the innermost dimension that an index depends on; -1 if it depends on none.
/// uses_slots() does not count dimensions of one value.
int innermost(const IndexExpr& index, const std::vector<int>& dims)
{
    int found = -1;
    for (const int slot : dims) {
        found = index.uses_slots(slot, slot + 1) ? slot : found;
    }
    return found;
}

} // namespace

KernelBuilder::KernelBuilder(std::string kernel, const Graph& graph, ValueId output, int packed,
                             std::string_view names)
    : graph_(graph), packed_(packed), names_(names)
{
    contraction_.kernel = std::move(kernel);
    contraction_.output = {"Y", graph.value(output).shape};
    contraction_.factors = 0;
    kernel_.output = output;
}

Index KernelBuilder::outputs()
{
    Index index;
    for (const std::int64_t extent : contraction_.output.shape) {
        const std::size_t d = index.size();
        index.push_back(
            output(d < names_.size() ? std::string(1, names_[d]) : fmt::format("d{}", d), extent));
    }
    return index;
}

IndexExpr KernelBuilder::output(std::string name, std::int64_t extent)
{
    const auto slot = static_cast<int>(contraction_.dims.size());
    contraction_.dims.push_back({slot, std::move(name), {0, extent - 1}});
    contraction_.outputs.push_back(slot);
    return IndexExpr(contraction_.dims.back());
}

IndexExpr KernelBuilder::reduction(std::string name, std::int64_t extent)
{
    const auto slot = static_cast<int>(contraction_.dims.size());
    contraction_.dims.push_back({slot, std::move(name), {0, extent - 1}});
    contraction_.reductions.push_back(slot);
    return IndexExpr(contraction_.dims.back());
}

int KernelBuilder::add(const std::string& name, const Shape& shape, Index index, Roles roles)
{
    contraction_.inputs.push_back({{name, shape}, std::move(index), roles.thread, roles.reduction});
    return static_cast<int>(contraction_.inputs.size() - contraction_.factors) - 1;
}

void KernelBuilder::factor(ValueId value, Index index, Roles roles)
{
    kernel_.inputs.push_back(value);
    add(factor_names[contraction_.factors], graph_.value(value).shape, std::move(index), roles);
    ++contraction_.factors;
}

void KernelBuilder::factor(const Shape& shape, std::vector<float> numbers, Index index, Roles roles)
{
    kernel_.made[kernel_.inputs.size()] = std::move(numbers);
    kernel_.inputs.push_back(no_value);
    add(factor_names[contraction_.factors], shape, std::move(index), roles);
    ++contraction_.factors;
}

int KernelBuilder::further(ValueId value, Index index)
{
    const Shape& shape = graph_.value(value).shape;
    kernel_.inputs.push_back(value);
    const std::string name = fmt::format("IN{}", contraction_.inputs.size());
    return add(name, shape, std::move(index),
               roles_of(shape, shape.empty() ? -1 : static_cast<int>(shape.size()) - 1));
}

int KernelBuilder::further(Shape shape, std::vector<float> numbers, Index index)
{
    kernel_.made[kernel_.inputs.size()] = std::move(numbers);
    kernel_.inputs.push_back(no_value);
    const std::string name = fmt::format("IN{}", contraction_.inputs.size());
    return add(name, shape, std::move(index),
               roles_of(shape, shape.empty() ? -1 : static_cast<int>(shape.size()) - 1));
}

void KernelBuilder::step(codegen::NumberExpr value, bool keeps_zero, int input)
{
    contraction_.epilogue.steps.push_back({std::move(value), input});
    contraction_.epilogue.keeps_zero = contraction_.epilogue.keeps_zero && keeps_zero;
}

NodeKernel KernelBuilder::finish(Index index, double multiply_adds, int second)
{
    Contraction& c = contraction_;
    const auto slot_of = [&](std::ptrdiff_t dimension) {
        return dimension < 0 ? -1
                             : innermost(index[static_cast<std::size_t>(dimension)], c.outputs);
    };
    std::ptrdiff_t along = packed_;
    if (along < 0) { // a number a texel: rows go along the last dimension that has several
        for (std::ptrdiff_t d = std::ssize(index); d-- > 0 && along < 0;) {
            along = slot_of(d) >= 0 ? d : along;
        }
    }
    c.x = slot_of(along);
    c.y = second != along ? slot_of(second) : -1;
    for (std::ptrdiff_t d = std::ssize(index); d-- > 0 && c.y < 0;) {
        const int slot = slot_of(d);
        c.y = d != along && slot != c.x ? slot : -1;
    }
    // The grid has two axes, even where there is nothing to go along.
    for (int* axis : {&c.x, &c.y}) {
        if (*axis < 0) {
            (void)output(axis == &c.x ? "x" : "y", 1);
            *axis = c.outputs.back();
        }
    }
    for (const int slot : c.outputs) {
        if (slot != c.x && slot != c.y) {
            c.z.push_back(slot);
        }
    }
    c.output_index = std::move(index);
    kernel_.contraction = std::move(contraction_);
    make_operator(kernel_, multiply_adds);
    return std::move(kernel_);
}

void make_operator(NodeKernel& kernel, double multiply_adds)
{
    codegen::ContractionOperator parts;
    parts.shape = kernel.contraction->output.shape;
    parts.products = multiply_adds;
    parts.contraction = *kernel.contraction;
    kernel.op = contraction_operator(std::move(parts));
}

KernelBuilder::Roles roles_of(const Shape& shape, int packed)
{
    const auto last = static_cast<int>(shape.size()) - 1;
    if (packed < 0) {
        return {std::max(last - 1, -1), last}; // -1 where there are not so many
    }
    return {packed == last ? last - 1 : last, packed};
}

Index broadcast_index(const Shape& operand, const Index& output)
{
    Index index;
    for (std::size_t d = 0; d < operand.size(); ++d) {
        index.push_back(operand[d] == 1 ? IndexExpr(0)
                                        : output[output.size() - operand.size() + d]);
    }
    return index;
}

} // namespace texelscope::networks
