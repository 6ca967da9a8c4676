#pragma once

#include "networks/graph/graph.hpp"
#include "networks/operators/window.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::networks {

/// Appends the nodes of a training step to a graph. Each function writes one node, or a few, and
/// returns the value that they make. Used by the rules below and by training_step().
class GradientWriter {
public:
    /// `graph` must outlive it. Names of nodes and values begin with `pass`.
    explicit GradientWriter(Graph& graph, std::string pass = "backward")
        : graph_(graph), pass_(std::move(pass))
    {}

    /// A node with one output, whose shape follows from the operator. Throws bad_input as
    /// output_shapes() does.
    ValueId node(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {});
    ValueId scalar(double number);
    /// The sum of a gradient over the places that a tensor of that shape was broadcast to.
    ValueId reduced_to(ValueId gradient, const Shape& shape);
    ValueId reshaped(ValueId value, const Shape& shape);
    ValueId transposed(ValueId value, std::vector<std::int64_t> order);
    /// A sum over axes, which stay as dimensions of one place.
    ValueId summed(ValueId value, const std::vector<std::int64_t>& axes,
                   const std::string& op = "ReduceSum");

    /// The sum of a product over axes, which stay as dimensions of one place. Both have one shape.
    ValueId summed_product(ValueId a, ValueId b, const std::vector<std::int64_t>& axes);
    /// The same over the places that a tensor of that shape was broadcast to.
    ValueId product_reduced_to(ValueId a, ValueId b, const Shape& shape);
    /// a + scale b.
    ValueId add_scaled(ValueId a, ValueId b, double scale);

    /// One where two tensors, of which one may broadcast, have the same number, else zero.
    ValueId equal(ValueId a, ValueId b);

    /// It is a copy, because writing nodes reallocates the values.
    [[nodiscard]] Shape shape(ValueId value) const { return graph_.value(value).shape; }
    [[nodiscard]] Graph& graph() { return graph_; }

private:
    Graph& graph_;
    std::string pass_;
};

/// A node of the forward pass, and the gradient of the loss with regard to each of its outputs;
/// no_value where it does not depend on one.
struct NodeToDerive {
    const Node& node;
    std::vector<ValueId> gradients;
    std::vector<bool> wanted; ///< for each input, whether its gradient is wanted

    [[nodiscard]] ValueId input(std::size_t i) const
    {
        return i < node.inputs.size() ? node.inputs[i] : no_value;
    }
    [[nodiscard]] bool wants(std::size_t i) const { return i < wanted.size() && wanted[i]; }
};

/// Writes the gradients with regard to a node's inputs: one for each, no_value where none is
/// wanted, or where it is zero everywhere.
using GradientRule = std::function<std::vector<ValueId>(GradientWriter&, const NodeToDerive&)>;
using GradientRules = std::map<std::string, GradientRule>;

/// The attributes of a convolution with such windows. Pads are written out, because auto_pad would
/// work out other pads for the sizes that the gradient has.
[[nodiscard]] Attributes window_attributes(const Window& window, std::int64_t group);
/// The attributes of its transpose, whose output covers the whole input of the windows, including
/// places behind the last window.
[[nodiscard]] Attributes transposed_attributes(const Window& window, std::int64_t group);

// The rules by operator, in the families of networks/operators/families.hpp.
[[nodiscard]] GradientRules elementwise_gradients();
[[nodiscard]] GradientRules contraction_gradients();
[[nodiscard]] GradientRules axis_gradients();
[[nodiscard]] GradientRules movement_gradients();
[[nodiscard]] GradientRules pool_gradients();

} // namespace texelscope::networks
