#pragma once

#include "networks/graph/graph.hpp"
#include "networks/onnx/onnx_file.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace texelscope::networks {

struct OnnxOptions {
    /// Extent of the first dimension of an input where the file leaves it open; 0: such files are
    /// refused.
    std::int64_t batch = 0;
    /// Shapes of inputs, by name: what they are where the file leaves dimensions open.
    std::map<std::string, Shape> shapes = {};
    /// Inputs that are constant from here on, by name: those that say how something is computed
    /// (shapes, axes).
    std::map<std::string, Array> constants = {};
};

/// The oldest and newest operator set that is understood; each operator says from which on it is
/// (NodeOperator::since). What versions from 22 on changed of the operators that are understood are
/// types of elements alone.
inline constexpr std::int64_t oldest_opset = 1;
inline constexpr std::int64_t newest_opset = 28;

/// The network that a file describes. Shapes that nodes compute are worked out, inputs that say how
/// something is computed become attributes, what follows from constants is computed, older versions
/// of operators become those of today, and identities are left out. Outputs keep their names.
/// Throws bad_input, with node, operator and version, for what is not understood.
[[nodiscard]] Graph graph_of(const OnnxFile& file, const OnnxOptions& options = {});
/// From a file; errors name it.
[[nodiscard]] Graph read_onnx(const std::filesystem::path& path, const OnnxOptions& options = {});

} // namespace texelscope::networks
