#pragma once

// A neural network as a graph of values and nodes.
//
// What goes in: graphs are read from ONNX (networks/onnx), built (networks/models), or written
// behind a forward graph by networks/training; all use add_value() and add_constant() and append
// nodes. Passes (networks/passes) turn a graph into another. What comes out: starting_plan()
// (networks/plan) makes kernels of the nodes, reference_values() (networks/operators) computes
// every value slowly, write_onnx() writes the graph.
//
// What always holds, and check_graph() checks: every value is made once, by the caller, as a
// constant or by a node; a node stands behind those that make its inputs; all shapes are known and
// are those that the operators give. A value is named by its number, ValueId, which stays valid
// when values are added.

#include "networks/graph/attributes.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace texelscope::networks {

/// Number of a value in a graph: its place in Graph::values.
using ValueId = std::int32_t;
/// Stands for an optional input or output that a node does not have.
inline constexpr ValueId no_value = -1;

/// A tensor of numbers: an input of the graph, a constant, or the output of a node.
struct Value {
    std::string name;
    Shape shape;
    /// Its numbers are whole, such as identifiers of words; int64 in ONNX. Kernels have them in
    /// fp32, as all numbers.
    bool is_integer = false;
};

/// One application of an operator.
struct Node {
    std::string name;
    std::string op; ///< name of the operator in the table node_operators(), which is ONNX's name
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    Attributes attributes;
    int every = 1; ///< it is computed only in the last of each `every` runs of the network
};

/// An input whose value is carried from run to run, such as weights in training: after a run, the
/// value `next` that a node has made becomes the input. Chains are allowed: `next` may itself be
/// replaced by another value in the same run.
struct Carried {
    ValueId input = no_value; ///< an input of the graph, or the `next` of another entry
    ValueId next = no_value;
};

/// A network; see the head of this file.
struct Graph {
    std::string name;
    std::vector<Value> values;
    std::vector<ValueId> inputs;  ///< values that the caller gives
    std::vector<ValueId> outputs; ///< values that the caller wants back
    std::map<ValueId, std::vector<float>> constants;
    /// Nodes in an order in which each stands behind those that make its inputs.
    std::vector<Node> nodes;
    std::vector<Carried> carried = {};

    ValueId add_value(std::string called, Shape shape);
    ValueId add_constant(std::string called, Shape shape, std::vector<float> numbers);
    [[nodiscard]] const Value& value(ValueId id) const
    {
        return values[static_cast<std::size_t>(id)];
    }
};

} // namespace texelscope::networks
