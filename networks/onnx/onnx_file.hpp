#pragma once

#include "networks/graph/attributes.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace texelscope::networks {

/// ONNX's numbers of the element types that are told apart here (TensorProto.DataType).
enum class OnnxType : std::int32_t { none = 0, fp32 = 1, int32 = 6, int64 = 7, boolean = 9 };
/// "fp32", "uint8" ..., for messages.
[[nodiscard]] std::string onnx_type_name(std::int32_t type);

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
};

/// What an ONNX file says, as far as networks are made of it.
struct OnnxFile {
    std::int64_t opset = 0; ///< of ONNX's own operators
    std::string graph;
    std::vector<OnnxNode> nodes;
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

/// A tensor in a file of its own (TensorProto), as ONNX's tests have them: its name and what it
/// holds. Throws bad_input.
[[nodiscard]] std::pair<std::string, Array> parse_onnx_tensor(std::string_view bytes);

} // namespace texelscope::networks
