#pragma once

#include "networks/graph/attributes.hpp"
#include "networks/onnx/onnx_tensor.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::networks {

/// A tensor that comes from outside or goes there.
struct OnnxValue {
    std::string name;
    std::int32_t type = 0; ///< of its elements; 0: it is no tensor
    struct Dimension {
        std::int64_t extent = 0; ///< 0: not known
        std::string name = {};   ///< of an open one; may be empty
    };
    std::optional<std::vector<Dimension>> shape; ///< nothing: not known
};

/// A node as the file has it: values are names, and the operator may be one that is not understood.
struct OnnxNode {
    std::string name;
    std::string op;
    std::string domain; ///< empty: ONNX's own
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    Attributes attributes;
    std::string refused = {}; ///< why one of the attributes cannot be understood
    /// In a function: attributes that are those of the call, by name, and their names there.
    std::map<std::string, std::string> references = {};
    std::string overload = {}; ///< which of several functions of that name
    std::int64_t opset = 0;    ///< operator set that its function names; 0: the file's
};

/// A function of the file: nodes that stand for one node elsewhere.
struct OnnxFunction {
    std::string name;
    std::string domain;
    std::string overload;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    /// Attributes that a call may leave out, in a node that only holds them.
    OnnxNode defaults;
    std::vector<OnnxNode> nodes;
    std::int64_t opset = 0;
};

/// What an ONNX file says, as far as networks are made of it.
struct OnnxFile {
    std::int64_t opset = 0; ///< of ONNX's own operators
    std::string graph;
    std::vector<OnnxNode> nodes; ///< without calls of functions: what they do is in their place
    std::map<std::string, Array> constants;
    /// Constants of types that are not understood, and why.
    std::map<std::string, std::string> refused;
    std::vector<OnnxValue> inputs;
    std::vector<OnnxValue> outputs;
    std::map<std::string, std::string> metadata;
};

/// Reads bytes in Protocol Buffers' wire format. `folder`: where files with weights may lie, which
/// no link in it may lead out of; empty: such files are refused. Names with control characters are
/// refused. Takes memory of at most a small multiple of the bytes, where weights in other files
/// count as often as they are named. Throws bad_input, without a path, for what is no ONNX model.
[[nodiscard]] OnnxFile parse_onnx(std::string_view bytes, const std::filesystem::path& folder = {});
/// Reads a file. If it is named by a link, weights may also lie beside the file that the link leads
/// to. Throws bad_input with the path.
[[nodiscard]] OnnxFile read_onnx_file(const std::filesystem::path& path);

} // namespace texelscope::networks
