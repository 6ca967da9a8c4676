#include "base/error.hpp"
#include "networks/operators/families.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace texelscope::networks {
// In this file: the same numbers in the same order under another shape.
namespace {

using NewShape = std::vector<Shape> (*)(const Node&, const Shape&);

/// The same numbers under another shape.
NodeOperator renamed(std::string name, int since, NewShape infer,
                     std::vector<NodeOperator::Parameter> parameters = {})
{
    NodeOperator row{.name = std::move(name), .since = since, .parameters = std::move(parameters)};
    row.infer = [infer](const Node& node, const NodeOperator::Shapes& in) {
        std::vector<Shape> out = infer(node, *in[0]);
        if (element_count(out.front()) != element_count(*in[0])) {
            throw bad_input(
                fmt::format("{} does not become {}", to_string(*in[0]), to_string(out.front())));
        }
        return out;
    };
    row.reference = [infer](const Node& node, const NodeOperator::Operands& in) {
        return std::vector{Reals{infer(node, in[0]->shape).front(), in[0]->values}};
    };
    return row;
}

/// The attribute `shape`: 0 copies the extent of the input (unless allowzero is set), and one
/// extent may be -1, which is what is left over.
std::vector<Shape> reshape(const Node& node, const Shape& input)
{
    Shape shape = node.attributes.integer_array("shape").integers();
    const bool zero_is_zero = node.attributes.integer("allowzero", 0) != 0;
    // Product of the extents that are known, and the dimension that is -1; -1 where there is none.
    std::int64_t known = 1;
    std::ptrdiff_t open = -1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 0 && !zero_is_zero) {
            if (d >= input.size()) {
                throw bad_input(
                    fmt::format("the shape copies dimension {} of {}", d, to_string(input)));
            }
            shape[d] = input[d];
        }
        if (shape[d] == -1 && open < 0) {
            open = static_cast<std::ptrdiff_t>(d);
        } else if (shape[d] < 0) {
            throw bad_input(fmt::format("the shape has {}", shape[d]));
        } else if (shape[d] > 0 && known > std::numeric_limits<std::int64_t>::max() / shape[d]) {
            throw bad_input("the shape is too large");
        } else {
            known *= shape[d];
        }
    }
    if (open >= 0) {
        // A remainder here is found by renamed(), which compares the numbers of elements.
        shape[static_cast<std::size_t>(open)] = known == 0 ? 0 : element_count(input) / known;
    }
    return {shape};
}

/// To a matrix: the dimensions before the axis are its rows, the others its columns. Unlike
/// elsewhere, the axis may be the rank.
std::vector<Shape> flatten(const Node& node, const Shape& input)
{
    const std::int64_t axis = node.attributes.integer("axis", 1);
    const std::size_t at = axis == static_cast<std::int64_t>(input.size())
                               ? input.size()
                               : axis_in(axis, input.size());
    const std::int64_t rows =
        element_count({input.begin(), input.begin() + static_cast<std::ptrdiff_t>(at)});
    return {{rows, element_count({input.begin() + static_cast<std::ptrdiff_t>(at), input.end()})}};
}

/// Without axes, all dimensions of extent 1 go. A named axis of another extent is found by
/// renamed().
std::vector<Shape> squeeze(const Node& node, const Shape& input)
{
    const std::vector<std::int64_t> axes = node.attributes.integers("axes");
    std::vector<bool> gone(input.size(), false);
    for (std::size_t d = 0; d < input.size(); ++d) {
        gone[d] = axes.empty() && input[d] == 1;
    }
    for (const std::int64_t axis : axes) {
        gone[axis_in(axis, input.size())] = true;
    }
    Shape shape;
    for (std::size_t d = 0; d < input.size(); ++d) {
        if (!gone[d]) {
            shape.push_back(input[d]);
        }
    }
    return {shape};
}

/// Axes are those of the output. Extents that are not yet known are 0 below.
std::vector<Shape> unsqueeze(const Node& node, const Shape& input)
{
    const std::vector<std::int64_t> axes = node.attributes.integers("axes");
    // As many as a tensor of a file may have dimensions (networks/onnx/onnx_file.cpp).
    if (axes.size() > 16) {
        throw bad_input("more than 16 axes");
    }
    Shape shape(input.size() + axes.size(), 0);
    for (const std::int64_t axis : axes) {
        std::int64_t& extent = shape[axis_in(axis, shape.size())];
        if (extent == 1) {
            throw bad_input(fmt::format("axis {} is named twice", axis));
        }
        extent = 1;
    }
    auto next = input.begin();
    for (std::int64_t& extent : shape) {
        extent = extent == 1 ? 1 : *next++;
    }
    return {shape};
}

/// Does nothing in inference, which is all that is understood. The mask, its second output, is
/// refused.
NodeOperator dropout()
{
    NodeOperator row = renamed("Dropout", 1,
                               [](const Node& node, const Shape& input) {
                                   if (node.attributes.integer("training_mode", 0) != 0) {
                                       throw bad_input("it trains (training_mode is set)");
                                   }
                                   if (node.outputs.size() > 1) {
                                       throw bad_input("its mask (output 2) is not computed");
                                   }
                                   return std::vector<Shape>{input};
                               },
                               {{1, "ratio"}, {2, "training_mode"}});
    return row;
}

} // namespace

std::vector<NodeOperator> reshape_operators()
{
    return {
        renamed("Reshape", 1, reshape, {{1, "shape"}}),
        renamed("Flatten", 1, flatten),
        renamed("Squeeze", 1, squeeze, {{1, "axes"}}),
        renamed("Unsqueeze", 1, unsqueeze, {{1, "axes"}}),
        dropout(),
    };
}

} // namespace texelscope::networks
