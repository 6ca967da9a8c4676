#include "networks/training/gradient_writer.hpp"

#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>

#include <utility>

namespace texelscope::networks {
namespace {

/// Axes along which a tensor of shape `to` was broadcast to `from`.
std::vector<std::int64_t> broadcast_axes(const Shape& from, const Shape& to)
{
    const std::size_t more = from.size() - to.size();
    std::vector<std::int64_t> axes;
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (from[d] > 1 && (d < more || to[d - more] == 1)) {
            axes.push_back(static_cast<std::int64_t>(d));
        }
    }
    return axes;
}

Attributes over(const std::vector<std::int64_t>& axes)
{
    Attributes attributes;
    attributes.set("axes", axes);
    attributes.set("keepdims", std::int64_t{1});
    return attributes;
}

} // namespace

ValueId GradientWriter::node(const std::string& op, std::vector<ValueId> inputs,
                             Attributes attributes)
{
    const std::string name = fmt::format("{}{}.{}", pass_, graph_.nodes.size(), op);
    Node made{name, op, std::move(inputs), {no_value}, std::move(attributes)};
    const ValueId output = graph_.add_value(name, output_shapes(graph_, made).front());
    made.outputs = {output};
    graph_.nodes.push_back(std::move(made));
    return output;
}

ValueId GradientWriter::scalar(double number)
{
    return graph_.add_constant(fmt::format("{}{}.number", pass_, graph_.values.size()), {},
                               {static_cast<float>(number)});
}

ValueId GradientWriter::reduced_to(ValueId gradient, const Shape& to)
{
    const std::vector<std::int64_t> axes = broadcast_axes(shape(gradient), to);
    return reshaped(axes.empty() ? gradient : summed(gradient, axes), to);
}

ValueId GradientWriter::product_reduced_to(ValueId a, ValueId b, const Shape& to)
{
    const std::vector<std::int64_t> axes = broadcast_axes(shape(a), to);
    return reshaped(axes.empty() ? node("Mul", {a, b}) : summed_product(a, b, axes), to);
}

ValueId GradientWriter::reshaped(ValueId value, const Shape& to)
{
    if (shape(value) == to) {
        return value;
    }
    Attributes attributes;
    attributes.set("shape", to);
    return node("Reshape", {value}, std::move(attributes));
}

ValueId GradientWriter::transposed(ValueId value, std::vector<std::int64_t> order)
{
    Attributes attributes;
    attributes.set("perm", std::move(order));
    return node("Transpose", {value}, std::move(attributes));
}

ValueId GradientWriter::summed(ValueId value, const std::vector<std::int64_t>& axes,
                               const std::string& op)
{
    return node(op, {value}, over(axes));
}

ValueId GradientWriter::summed_product(ValueId a, ValueId b, const std::vector<std::int64_t>& axes)
{
    return node("ReduceSumProduct", {a, b}, over(axes));
}

ValueId GradientWriter::add_scaled(ValueId a, ValueId b, double scale)
{
    Attributes by;
    by.set("scale", scale);
    return node("AddScaled", {a, b}, std::move(by));
}

ValueId GradientWriter::equal(ValueId a, ValueId b)
{
    // sign(a - b) is 0 only where the two are equal.
    const ValueId differ = node("Abs", {node("Sign", {node("Sub", {a, b})})});
    return node("Sub", {scalar(1), differ});
}

} // namespace texelscope::networks
