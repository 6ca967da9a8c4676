#include "networks/lowering/lower_families.hpp"
#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace texelscope::networks {
// Fusion of a node into the kernel in front of it, which saves writing and reading the value
// between.
namespace {

using codegen::Contraction;
using codegen::IndexExpr;

/// Whether two shapes differ only in dimensions of one place, so that the elements of both lie in
/// the same texels.
bool same_but_for_ones(const Shape& a, const Shape& b)
{
    Shape without_a = a;
    Shape without_b = b;
    std::erase(without_a, 1);
    std::erase(without_b, 1);
    return without_a == without_b;
}

/// Gives the output another shape that differs only in dimensions of one place.
void rename(Contraction& contraction, const Shape& shape)
{
    Index several;
    for (std::size_t d = 0; d < contraction.output.shape.size(); ++d) {
        if (contraction.output.shape[d] != 1) {
            several.push_back(contraction.output_index[d]);
        }
    }
    contraction.output_index.clear();
    auto next = several.begin();
    for (const std::int64_t extent : shape) {
        contraction.output_index.push_back(extent == 1 ? IndexExpr(0) : *next++);
    }
    contraction.output.shape = shape;
}

} // namespace

bool take_in(NodeKernel& kernel, const Graph& graph, const Node& node)
{
    // What a function jumps at stays a value that is stored, so that a check knows it.
    if (!kernel.contraction || jumps(node)) {
        return false;
    }
    Contraction& contraction = *kernel.contraction;
    const Shape& shape = graph.value(node.outputs[0]).shape;
    static const std::set<std::string> names{"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
    if (names.contains(node.op)) {
        if (!same_but_for_ones(contraction.output.shape, shape)) {
            return false;
        }
        rename(contraction, shape);
    } else if (const auto function = element_function(node)) {
        contraction.epilogue.steps.push_back({function->value, -1});
        contraction.epilogue.keeps_zero = contraction.epilogue.keeps_zero && function->keeps_zero;
    } else if (const auto binary = binary_function(node);
               binary && node.inputs.size() == 2 && node.op != "Mean") {
        const bool second = node.inputs[1] == kernel.output;
        const ValueId other = node.inputs[second ? 0 : 1];
        // If both operands are this value, the kernel would have to read its own output.
        if (other == kernel.output || shape != contraction.output.shape) {
            return false;
        }
        const Shape& of_other = graph.value(other).shape;
        const int last = static_cast<int>(of_other.size()) - 1;
        const KernelBuilder::Roles roles = roles_of(of_other, last);
        contraction.inputs.push_back({{fmt::format("IN{}", contraction.inputs.size()), of_other},
                                      broadcast_index(of_other, contraction.output_index),
                                      roles.thread,
                                      roles.reduction});
        kernel.inputs.push_back(other);
        const auto number = static_cast<int>(contraction.inputs.size() - contraction.factors) - 1;
        contraction.epilogue.steps.push_back(
            {second ? binary->value.with_arguments({argument(1), argument(0)}) : binary->value,
             number});
        contraction.epilogue.keeps_zero = contraction.epilogue.keeps_zero && binary->keeps_zero;
    } else {
        return false;
    }
    contraction.kernel += node.op;
    kernel.output = node.outputs[0];
    make_operator(kernel, kernel.op.flops / 2);
    return true;
}

} // namespace texelscope::networks
