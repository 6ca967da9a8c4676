#pragma once

#include "networks/onnx/onnx_file.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::networks {

/// What is known of a file where a node is read.
struct NodeSurroundings {
    std::int64_t opset = 0;
    /// Shape of a value. Throws bad_input for one that is not made yet.
    std::function<Shape(const std::string&)> shape;
    /// The constant of that name; null if it is none.
    std::function<const Array*(const std::string&)> constant;
};

/// The same as one or several nodes of the operator set of networks/operators, which is that of
/// today: what older versions of ONNX said otherwise (broadcasting along an axis, softmax over
/// several dimensions, Upsample), and what is made of other operators (quantization, a Split of
/// which not every part is wanted). Nothing where the node says it already. Throws bad_input for
/// what no such nodes compute.
[[nodiscard]] std::optional<std::vector<OnnxNode>> rewritten(const OnnxNode& node,
                                                             const NodeSurroundings& in);

} // namespace texelscope::networks
