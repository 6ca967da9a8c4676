#pragma once

#include "networks/graph/graph.hpp"
#include "networks/onnx/onnx_file.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace texelscope::networks {

struct OnnxOptions {
    /// Extent of dimensions that the file leaves open, of the first of an input; 0: they are
    /// refused.
    std::int64_t batch = 0;
    /// Inputs that are constant from here on, by name: those that say how something is computed
    /// (shapes, axes).
    std::map<std::string, Array> constants = {};
};

/// The oldest and newest operator set that is understood; each operator says from which on it is
/// (NodeOperator::since).
inline constexpr std::int64_t oldest_opset = 1;
inline constexpr std::int64_t newest_opset = 21;

/// A network of what a file says: shapes that are computed are worked out, what says how something
/// is computed becomes an attribute, identities go. Throws bad_input, with node, operator and
/// version, for what is not understood.
[[nodiscard]] Graph graph_of(const OnnxFile& file, const OnnxOptions& options = {});
/// From a file; errors name it.
[[nodiscard]] Graph read_onnx(const std::filesystem::path& path, const OnnxOptions& options = {});

} // namespace texelscope::networks
