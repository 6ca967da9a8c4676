#pragma once

#include "networks/graph/graph.hpp"

#include <filesystem>
#include <string>

namespace texelscope::networks {

/// The operator set that is written.
inline constexpr int written_opset = 20;

/// A network as an ONNX model, whatever versions it was read from: read again, it is the same. Throws bad_input for what that
/// operator set cannot say.
[[nodiscard]] std::string onnx_bytes(const Graph& graph);
/// To a file, which is replaced as a whole.
void write_onnx(const Graph& graph, const std::filesystem::path& path);

} // namespace texelscope::networks
