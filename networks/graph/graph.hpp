#pragma once

#include "networks/graph/attributes.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace texelscope::networks {

/// Number of a value in a graph.
using ValueId = std::int32_t;
inline constexpr ValueId no_value = -1; ///< an optional input or output that a node does without

/// A tensor of numbers that is made once: an input of the graph, a constant, or what a node
/// computes.
struct Value {
    std::string name;
    Shape shape;
};

/// One operator of a network.
struct Node {
    std::string name;
    std::string op; ///< its name in the table of operators, which is ONNX's
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    Attributes attributes;
    int every = 1; ///< it is computed in the last of so many runs of the network
};

/// An input that outlives a run: after it, what a node has made takes its place. Chains are
/// allowed: of a value that takes the place of one, another may take the place in the same run.
struct Carried {
    ValueId input = no_value; ///< of the graph, or the `next` of another
    ValueId next = no_value;
};

/// A network: values that nodes make of each other. Every shape is known.
struct Graph {
    std::string name;
    std::vector<Value> values;
    std::vector<ValueId> inputs;  ///< that a caller gives
    std::vector<ValueId> outputs; ///< that a caller wants
    std::map<ValueId, std::vector<float>> constants;
    std::vector<Node> nodes; ///< each after those that make its inputs
    std::vector<Carried> carried = {};

    ValueId add_value(std::string called, Shape shape);
    ValueId add_constant(std::string called, Shape shape, std::vector<float> numbers);
    [[nodiscard]] const Value& value(ValueId id) const
    {
        return values[static_cast<std::size_t>(id)];
    }
};

} // namespace texelscope::networks
