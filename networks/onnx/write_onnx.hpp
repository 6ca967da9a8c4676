#pragma once

#include "networks/graph/graph.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::networks {

/// The operator set that is written.
inline constexpr int written_opset = 20;

/// What a model says beside its network: text for people, and entries for programs, which viewers
/// show too.
struct OnnxNote {
    std::string text; ///< doc_string
    /// metadata_props: keys, each once, and values.
    std::vector<std::pair<std::string, std::string>> entries;
};
struct OnnxNotes {
    OnnxNote model;
    std::vector<OnnxNote> nodes; ///< by number of the node; empty: nothing is said of nodes
};

/// A network as an ONNX model of written_opset, whatever version it was read from. Read again, it
/// is the same network, with or without notes. Throws bad_input for what that operator set cannot
/// say.
[[nodiscard]] std::string onnx_bytes(const Graph& graph, const OnnxNotes& notes = {});
/// To a file, which is replaced as a whole.
void write_onnx(const Graph& graph, const std::filesystem::path& path, const OnnxNotes& notes = {});

} // namespace texelscope::networks
