#pragma once

#include "networks/operators/node_operator.hpp"
#include "tests/base/random.hpp"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::networks::test {

using texelscope::test::Random;

/// Makes a graph node by node; constants are drawn.
class Maker {
public:
    explicit Maker(Random& random) : random_(random) { graph_.name = "random"; }

    ValueId input(Shape shape)
    {
        graph_.inputs.push_back(
            graph_.add_value("in" + std::to_string(graph_.inputs.size()), std::move(shape)));
        return graph_.inputs.back();
    }
    ValueId constant(const Shape& shape)
    {
        std::vector<float> numbers;
        for (std::int64_t i = 0; i < element_count(shape); ++i) {
            numbers.push_back(static_cast<float>(random_.between(-8, 8)) / 8);
        }
        return graph_.add_constant("c" + std::to_string(graph_.values.size()), shape,
                                   std::move(numbers));
    }
    ValueId scalar(float number)
    {
        return graph_.add_constant("c" + std::to_string(graph_.values.size()), {}, {number});
    }
    /// A constant or an input.
    ValueId operand(const Shape& shape)
    {
        return random_.one_in(2) ? constant(shape) : input(shape);
    }

    ValueId node(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {},
                 int outputs = 1)
    {
        Node node{op + std::to_string(graph_.nodes.size()),
                  op,
                  std::move(inputs),
                  {},
                  std::move(attributes)};
        for (int i = 0; i < outputs; ++i) {
            node.outputs.push_back(graph_.add_value(node.name + "_" + std::to_string(i), {}));
        }
        const std::vector<Shape> shapes = output_shapes(graph_, node);
        for (int i = 0; i < outputs; ++i) {
            graph_.values[static_cast<std::size_t>(node.outputs[static_cast<std::size_t>(i)])]
                .shape = shapes[static_cast<std::size_t>(i)];
        }
        graph_.outputs.assign(node.outputs.begin(), node.outputs.end());
        graph_.nodes.push_back(std::move(node));
        return graph_.outputs.front();
    }
    [[nodiscard]] const Shape& shape(ValueId id) const { return graph_.value(id).shape; }
    Random& random() { return random_; }

    /// Steps that a kernel can take in.
    void follow(ValueId value)
    {
        for (int steps = random_.small(0, 3); steps > 0; --steps) {
            switch (random_.small(0, 4)) {
            case 0:
                value = node("Relu", {value});
                break;
            case 1:
                value = node("Sigmoid", {value});
                break;
            case 2: { // the same shape, or one number for each place of the last dimension
                const Shape& whole = shape(value);
                const ValueId other =
                    operand(random_.one_in(2) || whole.empty() ? whole : Shape{whole.back()});
                value = node("Add", random_.one_in(2) ? std::vector{value, other}
                                                      : std::vector{other, value});
                break;
            }
            case 3:
                value = node("Mul", {value, operand(shape(value))});
                break;
            default:
                value = node("Gelu", {value});
            }
        }
    }
    Graph finish() && { return std::move(graph_); }

private:
    Random& random_;
    Graph graph_;
};

inline Attributes with(std::initializer_list<std::pair<const char*, Attribute>> all)
{
    Attributes attributes;
    for (const auto& [name, value] : all) {
        attributes.set(name, value);
    }
    return attributes;
}

} // namespace texelscope::networks::test
