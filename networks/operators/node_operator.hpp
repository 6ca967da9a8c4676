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

/// One operator of networks: a row of the table.
struct NodeOperator {
    /// An input that says how something is computed (axes, a shape): it must be constant, and is an
    /// attribute of our node.
    struct Parameter {
        std::size_t input = 0;
        std::string attribute;
    };
    /// Inputs of a node; null where an optional one is not given.
    using Shapes = std::vector<const Shape*>;
    using Operands = std::vector<const Reals*>;

    std::string name; ///< ONNX's, where that has it
    /// First version of ONNX's default operator set that has it as it is understood here.
    int since = 1;
    std::size_t least = 1; ///< inputs, parameters left out
    std::size_t most = 1;
    std::vector<Parameter> parameters = {};
    bool onnx = true; ///< whether ONNX has it; else only backward passes do
    /// Shapes of the outputs. Throws bad_input for inputs or attributes that it does not take.
    std::function<std::vector<Shape>(const Node&, const Shapes&)> infer = {};
    /// Multiply-adds of a sum of products, from the shapes of inputs and output; empty: it is none.
    std::function<double(const Shapes&, const Shape& output)> multiply_adds = {};
    /// Slow and obvious, in double precision: the outputs' numbers, of the shapes that infer()
    /// gives.
    std::function<std::vector<Reals>(const Node&, const Operands&)> reference = {};
};

/// The table: every operator that a graph may have, in the order of the documentation.
[[nodiscard]] const std::vector<NodeOperator>& node_operators();
/// Null where there is none of that name.
[[nodiscard]] const NodeOperator* find_node_operator(const std::string& name);

/// Shapes of a node's outputs. Throws bad_input, naming node and operator, where there is no such
/// operator, or where it does not take these inputs.
[[nodiscard]] std::vector<Shape> output_shapes(const Graph& graph, const Node& node);

/// Of one node; 0 where it is no sum of products.
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
