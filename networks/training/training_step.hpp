#pragma once

#include "networks/graph/graph.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace texelscope::networks {

/// The loss that training makes smaller.
enum class Loss {
    /// Mean over the rows of -sum target log softmax(output), along the last dimension.
    cross_entropy,
    mean_squared_error, ///< mean of (output - target)^2
};
/// "cross-entropy", "mse".
[[nodiscard]] std::string to_string(Loss loss);
/// Throws bad_input for another name.
[[nodiscard]] Loss loss_named(const std::string& name);

/// Stochastic gradient descent, as PyTorch's SGD has it: v = momentum v + gradient + decay w, w = w
/// - rate v.
struct TrainingOptions {
    Loss loss = Loss::cross_entropy;
    double learning_rate = 0.01;
    double momentum = 0;
    double weight_decay = 0;
    int accumulate = 1; ///< number of runs over whose mean gradient one step is taken
    /// Whether gradients are outputs. Otherwise a gradient may be fused into the update of its
    /// weight.
    bool keep_gradients = false;
    std::vector<std::string> frozen = {}; ///< names of constants that are not trained
};

/// The part of a training step that a node belongs to.
enum class Pass {
    forward,
    recomputation, ///< computes values of the forward pass again, for the backward pass
    backward,
    update
};
inline constexpr Pass all_passes[] = {Pass::forward, Pass::recomputation, Pass::backward,
                                      Pass::update};
/// "forward", "recomputation", "backward", "update".
[[nodiscard]] std::string to_string(Pass pass);

/// A network with its loss, its backward pass and the update of its weights. One run trains on one
/// batch.
struct TrainingStep {
    /// Inputs: those of the network, the target, then what is carried from run to run: weights,
    /// momenta, what normalisations measure. Values of the network keep their numbers; weights are
    /// inputs in place of constants. The first output is the loss.
    Graph graph;
    ValueId target = no_value;
    ValueId loss = no_value;
    std::map<ValueId, std::vector<float>> first; ///< initial values of carried inputs
    std::vector<ValueId> weights;                ///< weights that are trained
    std::map<ValueId, ValueId> momenta;          ///< by weight
    /// Means and variances that normalisations have measured.
    std::vector<ValueId> measured;
    /// By weight, the gradient of the loss divided by TrainingOptions::accumulate.
    std::map<ValueId, ValueId> gradients;
    std::vector<Pass> passes; ///< the part of each node; the loss belongs to the forward pass
    /// For each node, the node of the forward pass that it is a part of, whose gradient it
    /// computes, or whose weight it updates.
    std::vector<std::size_t> layer_of;
};

/// The network as training computes it.
struct TrainingForm {
    Graph graph;
    /// Initial values of former constants that are now carried.
    std::map<ValueId, std::vector<float>> first;
    std::vector<std::size_t> layer_of; ///< of each node, the one that it is a part of
};

/// Makes batch normalisations take mean and variance from the batch, and keep running means of them
/// (momentum parts of the old and 1 - momentum of the new, the variance divided by n - 1, as
/// PyTorch has it). Throws bad_input if a batch has only one number for a channel.
[[nodiscard]] TrainingForm training_form(Graph network);

/// Trains every constant of parameters() but the frozen ones. The network must have one output,
/// with the batch along its first dimension. Throws bad_input, with the node, for an operator
/// without a gradient, and where there is nothing to train.
[[nodiscard]] TrainingStep training_step(const Graph& network, const TrainingOptions& options);

} // namespace texelscope::networks
