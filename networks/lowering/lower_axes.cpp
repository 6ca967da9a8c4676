#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/layernorm.hpp"
#include "codegen/operators/softmax.hpp"
#include "codegen/operators/sweep_operator.hpp"
#include "networks/lowering/lower_families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace texelscope::networks {
// Kernels of operators along axes. Reductions are contractions; a softmax or a layer normalisation
// goes along its axis several times, which a sweep does (codegen/lowering).
namespace {

using codegen::Contraction;
using codegen::IndexExpr;
using codegen::NumberExpr;
using codegen::SweepNest;

/// A reduction: the term that each number adds, how terms are combined, and what is done with the
/// result.
struct Reduction {
    Contraction::Combine combine = Contraction::Combine::sum;
    NumberExpr term = argument(0);
    std::optional<ElementFunction> end = {};
    bool mean = false;
};

Lowering lower_reduction(const Reduction& how)
{
    return [how](const NodeToLower& n) {
        const Shape& shape = n.input(0);
        const std::vector<std::int64_t> axes = n.node.attributes.integers("axes");
        const bool none = axes.empty() && n.node.attributes.integer("noop_with_empty_axes", 0) != 0;
        const bool keeps = n.node.attributes.integer("keepdims", 1) != 0;
        std::vector<bool> reduced(shape.size(), axes.empty() && !none);
        for (const std::int64_t axis : axes) {
            reduced[axis_in(axis, shape.size())] = true;
        }
        KernelBuilder builder = n.builder();
        Index output;
        Index image;
        double count = 1;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (!reduced[d]) {
                output.push_back(builder.output(fmt::format("d{}", d), shape[d]));
                image.push_back(output.back());
            } else if (keeps) {
                output.emplace_back(0);
            }
            if (reduced[d]) {
                image.emplace_back(0); // below, after all dimensions of the output
            }
        }
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (reduced[d]) {
                image[d] = builder.reduction(fmt::format("r{}", d), shape[d]);
                count *= static_cast<double>(shape[d]);
            }
        }
        for (const ValueId factor : n.node.inputs) {
            builder.factor(factor, image, roles_of(shape, n.packed_of(factor)));
        }
        builder.contraction().combine = how.combine;
        builder.contraction().term = how.term;
        if (how.mean) {
            builder.step(argument(0) * (1 / count), true);
        }
        if (how.end) {
            builder.step(how.end->value, how.end->keeps_zero);
        }
        // An addition counts as half a multiply-add, as it is one floating-point operation of two.
        const double additions = static_cast<double>(element_count(shape)) / 2;
        return std::vector{builder.finish(std::move(output),
                                          additions * static_cast<double>(n.node.inputs.size()))};
    };
}

/// A kernel that goes along one axis of the first input several times. Other inputs, such as scale
/// and bias, are vectors along that axis.
NodeKernel sweep(const NodeToLower& n, std::size_t axis, std::size_t inputs,
                 std::function<codegen::LoopNest(SweepNest)> build, double operations)
{
    const Shape& shape = n.input(0);
    codegen::SweepOperator own;
    own.name = n.node.op;
    own.axis = axis;
    own.cols = shape[axis];
    // All other dimensions together are the rows of the sweep.
    own.rows = element_count(shape) / shape[axis];
    own.inputs.push_back({"X", shape});
    for (std::size_t i = 1; i < inputs; ++i) {
        own.inputs.push_back({fmt::format("V{}", i), {shape[axis]}});
    }
    own.output = {"Y", shape};
    own.operations = operations;
    own.build = std::move(build);
    NodeKernel kernel{
        .op = codegen::sweep_operator(own), .inputs = {}, .output = n.node.outputs[0]};
    kernel.inputs.assign(n.node.inputs.begin(),
                         n.node.inputs.begin() + static_cast<std::ptrdiff_t>(inputs));
    // The sweep reads four numbers along the axis in one texel.
    kernel.packs[0] = shape[axis] > 1 ? static_cast<int>(axis) : -1;
    return kernel;
}

Lowering lower_softmax(bool logarithm)
{
    return [logarithm](const NodeToLower& n) {
        const Shape& shape = n.input(0);
        const std::size_t axis = axis_in(n.node.attributes.integer("axis", -1), shape.size());
        return std::vector{sweep(
            n, axis, 1,
            [logarithm](SweepNest nest) {
                return codegen::softmax_nest(std::move(nest), logarithm);
            },
            5)};
    };
}

std::vector<NodeKernel> lower_layer_normalization(const NodeToLower& n)
{
    const Shape& shape = n.input(0);
    const std::size_t axis = axis_in(n.node.attributes.integer("axis", -1), shape.size());
    if (axis + 1 < shape.size()) {
        throw bad_input("no kernel computes a normalisation over several dimensions yet");
    }
    if (std::ranges::any_of(n.node.outputs.begin() + 1, n.node.outputs.end(),
                            [](ValueId id) { return id != no_value; })) {
        throw bad_input("no kernel gives out means and deviations yet");
    }
    const bool with_beta = n.has(2);
    for (std::size_t i = 1; i < (with_beta ? 3U : 2U); ++i) {
        if (n.input(i) != Shape{shape[axis]}) {
            throw bad_input(
                fmt::format("no kernel takes a scale or bias of {} yet", to_string(n.input(i))));
        }
    }
    const double epsilon = n.node.attributes.real("epsilon", 1e-5);
    return {sweep(
        n, axis, with_beta ? 3 : 2,
        [=, cols = shape[axis]](SweepNest nest) {
            return codegen::layernorm_nest(std::move(nest), cols, epsilon, with_beta);
        },
        8)};
}

/// (x - mean) / sqrt(variance + epsilon) * scale + bias, step by step on x; the four are one number
/// for each channel, in inputs 3, 4, 1 and 2.
std::vector<NodeKernel> lower_batch_normalization(const NodeToLower& n)
{
    KernelBuilder builder = n.builder("nc");
    Index output = builder.outputs();
    builder.further(n.node.inputs[0], output);
    const auto of_channel = [&](std::size_t input) {
        return builder.further(n.node.inputs[input], {output[1]});
    };
    const double epsilon = n.node.attributes.real("epsilon", 1e-5);
    const NumberExpr x = argument(0), y = argument(1);
    builder.step(x - y, false, of_channel(3));
    builder.step(x / call("sqrt", y + epsilon), false, of_channel(4));
    builder.step(x * y, true, of_channel(1));
    builder.step(x + y, false, of_channel(2));
    return {builder.finish(std::move(output), 2 * static_cast<double>(element_count(n.output())))};
}

} // namespace

Lowerings axis_lowerings()
{
    using Combine = Contraction::Combine;
    const NumberExpr x = argument(0);
    return {{"Softmax", lower_softmax(false)},
            {"LogSoftmax", lower_softmax(true)},
            {"LayerNormalization", lower_layer_normalization},
            {"BatchNormalization", lower_batch_normalization},
            {"ReduceMean", lower_reduction({.mean = true})},
            {"ReduceSum", lower_reduction({})},
            {"ReduceSumProduct", lower_reduction({})},
            {"ReduceMax", lower_reduction({.combine = Combine::largest})},
            {"ReduceMin", lower_reduction({.combine = Combine::smallest})},
            {"ReduceProd", lower_reduction({.combine = Combine::product})},
            {"ReduceL1", lower_reduction({.term = call("fabs", x)})},
            {"ReduceL2",
             lower_reduction({.term = x * x, .end = ElementFunction{call("sqrt", x), true}})},
            {"ReduceSumSquare", lower_reduction({.term = x * x})},
            {"ReduceLogSum", lower_reduction({.end = ElementFunction{call("log", x), false}})}};
}

} // namespace texelscope::networks
