#include "networks/training/training_step.hpp"

#include "base/error.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/training/gradients.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace texelscope::networks {
namespace {

/// Makes a constant an input that is carried from run to run; its numbers become the initial value.
void carry(Graph& graph, ValueId constant, std::map<ValueId, std::vector<float>>& first)
{
    first[constant] = std::move(graph.constants.at(constant));
    graph.constants.erase(constant);
    graph.inputs.push_back(constant);
}

/// Puts nodes in place of a batch normalisation with given statistics: they take mean and variance
/// from the batch, normalise, and update the means of both that inference will use.
class BatchStatistics {
public:
    BatchStatistics(GradientWriter& writer, const Node& node)
        : writer_(writer), node_(node), shape_(writer.shape(node.inputs[0])),
          count_(static_cast<double>(element_count(shape_) / shape_[1]))
    {
        if (count_ < 2) {
            throw bad_input("one number of a channel has no variance to normalise by",
                            "node '" + node.name + "'", "train it with a larger batch");
        }
        axes_ = {0};
        for (std::size_t d = 2; d < shape_.size(); ++d) {
            axes_.push_back(static_cast<std::int64_t>(d));
        }
    }

    void write(std::vector<Carried>& carried)
    {
        const Shape of_channels{shape_[1]};
        const ValueId x = node_.inputs[0];
        const ValueId mean = detached(writer_.summed(x, axes_, "ReduceMean"));
        const ValueId centred = writer_.node("Sub", {x, mean});
        const ValueId squares = sum_of_squares(centred);
        const ValueId spread = detached(writer_.node("Mul", {squares, writer_.scalar(1 / count_)}));
        const ValueId variance = detached(writer_.reshaped(spread, of_channels));
        const ValueId zeros = writer_.graph().add_constant(
            node_.name + ".zeros", of_channels,
            std::vector<float>(static_cast<std::size_t>(shape_[1]), 0.0F));
        // The input has the mean of the batch taken off already, so the normalisation itself
        // subtracts zeros; `centred` tells its gradient rule.
        Node normalised = node_;
        normalised.attributes.set("centred", std::int64_t{1});
        normalised.inputs = {centred, node_.inputs[1], node_.inputs[2], zeros, variance};
        writer_.graph().nodes.push_back(std::move(normalised));

        const double kept = node_.attributes.real("momentum", 0.9);
        const ValueId mean_of_channels = writer_.reshaped(mean, of_channels);
        carried.push_back(
            {node_.inputs[3], moved(node_.inputs[3], mean_of_channels, kept, 1 - kept)});
        // The variance that is kept is the unbiased one, divided by n - 1, as PyTorch has it.
        const double unbiased = (1 - kept) * count_ / (count_ - 1);
        carried.push_back({node_.inputs[4], moved(node_.inputs[4], variance, kept, unbiased)});
    }

private:
    /// Sum of squares of each channel, along the rows first and then over the rest. Adding 25,000
    /// squares one after the other in single precision makes an error of 3e-6 in the variance, and
    /// so in the whole channel; layers of normalisations raise that to 1e-4 of the gradients.
    ValueId sum_of_squares(ValueId centred)
    {
        if (axes_.size() == 1) {
            return detached(writer_.summed(centred, axes_, "ReduceSumSquare"));
        }
        const ValueId of_rows =
            detached(writer_.summed(centred, {axes_.back()}, "ReduceSumSquare"));
        return detached(writer_.summed(of_rows, axes_, "ReduceSum"));
    }
    /// No gradient flows through the node: the rule of the normalisation already contains what mean
    /// and variance contribute.
    ValueId detached(ValueId made)
    {
        writer_.graph().nodes.back().attributes.set("detached", std::int64_t{1});
        return made;
    }
    /// part * measured + kept * old, the running mean of a statistic.
    ValueId moved(ValueId old, ValueId measured, double kept, double part)
    {
        return writer_.add_scaled(writer_.node("Mul", {measured, writer_.scalar(part)}), old, kept);
    }

    GradientWriter& writer_;
    const Node& node_;
    Shape shape_;
    double count_;
    std::vector<std::int64_t> axes_;
};

/// -1 / rows * sum of target * log softmax(output).
ValueId cross_entropy(GradientWriter& w, ValueId output, ValueId target)
{
    const Shape shape = w.shape(output);
    const double rows = static_cast<double>(element_count(shape) / shape.back());
    const ValueId logarithms = w.node("LogSoftmax", {output});
    Attributes whole;
    whole.set("keepdims", std::int64_t{0});
    const ValueId sum = w.node("ReduceSumProduct", {target, logarithms}, std::move(whole));
    return w.node("Mul", {sum, w.scalar(-1 / rows)});
}

/// Mean of (output - target)^2.
ValueId mean_squared_error(GradientWriter& w, ValueId output, ValueId target)
{
    const double count = static_cast<double>(element_count(w.shape(output)));
    Attributes whole;
    whole.set("keepdims", std::int64_t{0});
    const ValueId sum =
        w.node("ReduceSumSquare", {w.node("Sub", {output, target})}, std::move(whole));
    return w.node("Mul", {sum, w.scalar(1 / count)});
}

/// Writes the update of each weight as soon as its gradient is known (OnGradient), so that the
/// gradient need not be kept until the end of the backward pass.
class Descent {
public:
    Descent(const TrainingOptions& options, TrainingStep& step, std::vector<Carried>& carried)
        : options_(options), step_(step), carried_(carried)
    {}

    void operator()(GradientWriter& w, ValueId weight, ValueId gradient)
    {
        step_.passes.resize(w.graph().nodes.size(), Pass::backward);
        write(w, weight, gradient);
        step_.passes.resize(w.graph().nodes.size(), Pass::update);
    }

private:
    void write(GradientWriter& w, ValueId weight, ValueId gradient)
    {
        if (options_.accumulate > 1) {
            accumulate(w, weight, gradient);
            return;
        }
        const double decay = options_.weight_decay;
        ValueId change = decay == 0 ? gradient : w.add_scaled(gradient, weight, decay);
        if (options_.momentum != 0) {
            const ValueId momentum = new_momentum(w, weight, 0);
            change = w.add_scaled(change, momentum, options_.momentum);
            carried_.push_back({momentum, change});
        }
        carried_.push_back({weight, w.add_scaled(weight, change, -options_.learning_rate)});
    }

    /// Adds the gradients of several runs up in the momentum itself, so that no further tensor is
    /// carried. The momentum of a step begins as momentum v + decay w; each run adds its gradient;
    /// the last run moves the weight and begins the next step.
    void accumulate(GradientWriter& w, ValueId weight, ValueId gradient)
    {
        const ValueId begun = new_momentum(w, weight, options_.weight_decay);
        const ValueId sum = w.node("Add", {gradient, begun});
        carried_.push_back({begun, sum});
        const std::size_t first = w.graph().nodes.size();
        const ValueId moved = w.add_scaled(weight, sum, -options_.learning_rate);
        carried_.push_back({weight, moved});
        const ValueId kept = w.node("Mul", {sum, w.scalar(options_.momentum)});
        const ValueId next =
            options_.weight_decay == 0 ? kept : w.add_scaled(kept, moved, options_.weight_decay);
        carried_.push_back({sum, next});
        // These nodes run only in the last of the runs of a step.
        for (std::size_t node = first; node < w.graph().nodes.size(); ++node) {
            w.graph().nodes[node].every = options_.accumulate;
        }
    }

    /// A carried input for the momentum of a weight. It begins as the weight's numbers times
    /// `factor`: zeros, or the weight decay of the first step.
    ValueId new_momentum(GradientWriter& w, ValueId weight, double factor)
    {
        const ValueId momentum =
            w.graph().add_value(w.graph().value(weight).name + ".momentum", w.shape(weight));
        std::vector<float> numbers = step_.first.at(weight);
        for (float& number : numbers) {
            number = static_cast<float>(static_cast<double>(number) * factor);
        }
        step_.first[momentum] = std::move(numbers);
        step_.momenta[weight] = momentum;
        return momentum;
    }

    const TrainingOptions& options_;
    TrainingStep& step_;
    std::vector<Carried>& carried_;
};

std::vector<ValueId> trained_weights(const Graph& network, const std::vector<std::string>& frozen)
{
    std::vector<ValueId> weights = parameters(network);
    for (const std::string& name : frozen) {
        const auto named = [&](ValueId weight) { return network.value(weight).name == name; };
        if (std::erase_if(weights, named) == 0) {
            throw bad_input("no weight that is trained has this name", name,
                            "--weights lists them by name");
        }
    }
    if (weights.empty()) {
        throw bad_input("it has no weights to train", network.name,
                        "convolutions, products, normalisations, PRelu and sums have some where "
                        "they read constants");
    }
    return weights;
}

} // namespace

std::string to_string(Loss loss)
{
    return loss == Loss::cross_entropy ? "cross-entropy" : "mse";
}

std::string to_string(Pass pass)
{
    switch (pass) {
    case Pass::forward:
        return "forward";
    case Pass::recomputation:
        return "recomputation";
    case Pass::backward:
        return "backward";
    case Pass::update:
        break;
    }
    return "update";
}

Loss loss_named(const std::string& name)
{
    for (const Loss loss : {Loss::cross_entropy, Loss::mean_squared_error}) {
        if (name == to_string(loss)) {
            return loss;
        }
    }
    throw bad_input("there is no such loss", name, "losses are cross-entropy and mse");
}

TrainingForm training_form(Graph network)
{
    TrainingForm form{std::move(network), {}, {}};
    const std::vector<Node> nodes = std::exchange(form.graph.nodes, {});
    std::vector<Carried> carried;
    GradientWriter writer(form.graph, "batch");
    for (const Node& node : nodes) {
        const auto& constants = form.graph.constants;
        const bool given = node.op == "BatchNormalization" && constants.contains(node.inputs[3]) &&
                           constants.contains(node.inputs[4]);
        if (given) {
            BatchStatistics(writer, node).write(carried);
            carry(form.graph, node.inputs[3], form.first);
            carry(form.graph, node.inputs[4], form.first);
        } else {
            form.graph.nodes.push_back(node);
        }
        const auto layer = std::ranges::find(form.graph.nodes, node.name, &Node::name);
        form.layer_of.resize(form.graph.nodes.size(),
                             static_cast<std::size_t>(layer - form.graph.nodes.begin()));
    }
    form.graph.carried = std::move(carried);
    return form;
}

TrainingStep training_step(const Graph& network, const TrainingOptions& options)
{
    if (network.outputs.size() != 1) {
        throw bad_input("a network with one output is trained, this one has " +
                            std::to_string(network.outputs.size()),
                        network.name, "cut the others off");
    }
    if (network.value(network.outputs.front()).shape.empty()) {
        // The first dimension of the output is the batch, over which the loss is a mean.
        throw bad_input("its output is a single number, without a batch", network.name,
                        "train the network before the sum over the batch: the loss is added here");
    }
    TrainingStep step;
    step.weights = trained_weights(network, options.frozen);
    Graph graph = network;
    const ValueId output = graph.outputs.front();
    step.target = graph.add_value("target", graph.value(output).shape);
    graph.inputs.push_back(step.target);
    TrainingForm form = training_form(std::move(graph));
    graph = std::move(form.graph);
    step.first = std::move(form.first);
    for (const Carried& each : graph.carried) {
        step.measured.push_back(each.input);
    }
    for (const ValueId weight : step.weights) {
        carry(graph, weight, step.first);
    }
    {
        GradientWriter writer(graph, "loss");
        step.loss = options.loss == Loss::cross_entropy
                        ? cross_entropy(writer, output, step.target)
                        : mean_squared_error(writer, output, step.target);
    }
    form.layer_of.resize(graph.nodes.size(), form.layer_of.size()); // the loss is one layer
    step.passes.resize(graph.nodes.size(), Pass::forward);
    std::vector<Carried> carried = graph.carried;
    Gradients derived = with_gradients(std::move(graph), step.loss, step.weights,
                                       1.0 / options.accumulate, Descent(options, step, carried));
    step.graph = std::move(derived.graph);
    step.passes.resize(step.graph.nodes.size(), Pass::backward);
    step.graph.carried = std::move(carried);
    step.gradients = std::move(derived.of);
    if (step.gradients.empty()) {
        throw bad_input(
            "the loss depends on no weight", network.name,
            "between weights and output, functions such as Floor and Sign have no slope");
    }
    for (const std::size_t node : derived.layer_of) {
        step.layer_of.push_back(form.layer_of[node]);
    }
    for (const auto& [weight, momentum] : step.momenta) {
        step.graph.inputs.push_back(momentum);
    }
    step.graph.outputs = {step.loss};
    if (options.keep_gradients) {
        for (const auto& [weight, gradient] : step.gradients) {
            step.graph.outputs.push_back(gradient);
        }
    }
    check_graph(step.graph);
    return step;
}

} // namespace texelscope::networks
