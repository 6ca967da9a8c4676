#pragma once

#include <string>

namespace texelscope::networks::test {

/// What became of one of ONNX's own tests of an operator.
struct NodeCase {
    enum class Outcome { passed, refused, wrong };
    std::string name;
    Outcome outcome = Outcome::refused;
    std::string line = {}; ///< why it is refused, or how far it is off
};

/// Reads the model in a folder of ONNX's tests, gives it the inputs that lie there, and compares its outputs with those that
/// do, by the reference.
[[nodiscard]] NodeCase run_node_case(const std::string& folder);

} // namespace texelscope::networks::test
