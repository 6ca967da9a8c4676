#pragma once

#include "networks/graph/graph.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace texelscope::networks {

/// A built-in network. Its structure is real but its weights are random, so that its results are
/// meaningless; it is there to measure times.
struct BuiltInModel {
    std::string name;
    std::string about; ///< one line, with the source of its structure
    Shape input;       ///< for a batch of one
    std::function<Graph(std::int64_t batch, std::uint64_t seed)> make;
};

/// All of them, in the order of the documentation.
[[nodiscard]] const std::vector<BuiltInModel>& built_in_models();
/// The network of that name; null if there is none.
[[nodiscard]] const BuiltInModel* find_model(const std::string& name);

/// The built-in network of that name, with weights drawn by the seed, or else that of an ONNX file.
/// `batch`: extent of the first dimension, where the file leaves it open. `shapes`: of inputs of a
/// file, by name. Throws bad_input, listing the names, where there is neither, for shapes of a
/// built-in network, and whatever read_onnx() throws.
[[nodiscard]] Graph open_network(const std::string& name_or_file, std::int64_t batch,
                                 std::uint64_t seed,
                                 const std::map<std::string, Shape>& shapes = {});

// Their families, each in a file of its own.
[[nodiscard]] std::vector<BuiltInModel> residual_models(); ///< ResNet
[[nodiscard]] std::vector<BuiltInModel> mobile_models();   ///< MobileNet
/// VGG, SqueezeNet, FSRCNN, perceptrons.
[[nodiscard]] std::vector<BuiltInModel> plain_models();
[[nodiscard]] std::vector<BuiltInModel> concatenating_models(); ///< Inception, DenseNet
[[nodiscard]] std::vector<BuiltInModel> searched_models();      ///< NASNet
[[nodiscard]] std::vector<BuiltInModel> transformer_models();   ///< ViT, BERT

} // namespace texelscope::networks
