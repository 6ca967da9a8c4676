#pragma once

#include "networks/operators/node_operator.hpp"

#include <functional>
#include <string>
#include <vector>

namespace texelscope::networks::test {

/// What became of one of ONNX's own tests of an operator.
struct NodeCase {
    enum class Outcome { passed, refused, wrong };
    std::string name;
    Outcome outcome = Outcome::refused;
    std::string line = {}; ///< why it is refused, or how far it is off
};

/// Computes every value of a graph, or its outputs at least, from its inputs.
using Compute = std::function<std::vector<Reals>(const Graph&, const std::vector<Reals>&)>;

/// Reads the model in a folder of ONNX's tests, gives it the inputs that lie there, and compares
/// the outputs with those that do. Refused is what throws bad_input.
[[nodiscard]] NodeCase run_node_case(const std::string& folder, const Compute& compute);

} // namespace texelscope::networks::test
