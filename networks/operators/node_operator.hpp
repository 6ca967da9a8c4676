#pragma once

#include "networks/graph/graph.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::networks {

/// Numbers of a tensor in double precision, row-major.
struct Reals {
    Shape shape;
    std::vector<double> values;
};

/// An operator of networks: a row of the table node_operators().
struct NodeOperator {
    /// An input of ONNX's operator that says how something is computed (axes, a shape). It must be
    /// constant, and becomes an attribute of our node.
    struct Parameter {
        std::size_t input = 0;
        std::string attribute;
        bool may_vary = false; ///< where it is no constant, it is an input of our node
    };
    /// Inputs of a node; null where an optional one is not given.
    using Shapes = std::vector<const Shape*>;
    using Operands = std::vector<const Reals*>;

    std::string name; ///< ONNX's name, if ONNX has the operator
    /// First version of ONNX's default operator set in which the operator has the meaning that it
    /// has here.
    int since = 1;
    std::size_t least = 1; ///< fewest inputs, not counting parameters
    std::size_t most = 1;
    std::vector<Parameter> parameters = {};
    bool onnx = true; ///< whether ONNX has it; other operators occur in backward passes only
    /// Shapes of the outputs. Throws bad_input for inputs or attributes that it does not take.
    std::function<std::vector<Shape>(const Node&, const Shapes&)> infer = {};
    /// Multiply-adds, from the shapes of inputs and output; empty if the operator is no sum of
    /// products.
    std::function<double(const Shapes&, const Shape& output)> multiply_adds = {};
    /// Computes the outputs, slowly and obviously, in double precision, in the shapes that infer()
    /// gives.
    std::function<std::vector<Reals>(const Node&, const Operands&)> reference = {};
};

/// The table: every operator that a graph may have, in the order of the documentation.
[[nodiscard]] const std::vector<NodeOperator>& node_operators();
/// The operator of that name; null if there is none.
[[nodiscard]] const NodeOperator* find_node_operator(const std::string& name);

/// Shapes of a node's outputs. Throws bad_input, without naming the node, where there is no such
/// operator, or where it does not take these inputs.
[[nodiscard]] std::vector<Shape> inferred_shapes(const Graph& graph, const Node& node);
/// The same; errors name node and operator.
[[nodiscard]] std::vector<Shape> output_shapes(const Graph& graph, const Node& node);

/// Whether its function jumps from one number to another (Round, Floor, Ceil, Sign).
[[nodiscard]] bool jumps(const Node& node);

/// Multiply-adds of one node; 0 if it is no sum of products.
[[nodiscard]] double multiply_adds(const Graph& graph, const Node& node);

/// Throws bad_input, with the node or value, unless every value is made once, before it is used,
/// and has the shape that its operator gives it, and every constant as many numbers as its shape
/// has elements.
void check_graph(const Graph& graph);

/// Every value of a graph, computed node by node in double precision. `inputs`: in the graph's
/// order. Values of nodes that nobody reads any more are empty unless `keep` says otherwise.
/// `computed`, where it is given, is called with each value as soon as a node has made it, and may
/// change it for those that read it. Throws bad_input for inputs of another number or shape.
[[nodiscard]] std::vector<Reals>
reference_values(const Graph& graph, const std::vector<Reals>& inputs, bool keep = false,
                 const std::function<void(ValueId, Reals&)>& computed = {});

} // namespace texelscope::networks
