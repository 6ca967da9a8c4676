#include "workbench/network_studies/training_layers.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "networks/plan/memory_plan.hpp"

#include <algorithm>

namespace texelscope::workbench::network_studies {

using networks::Pass;
using networks::PlannedKernel;

std::vector<std::int64_t> kept_for_backward(const JudgedNetwork& network)
{
    const std::vector<PlannedKernel>& kernels = network.planned.plan.kernels;
    std::vector<std::int64_t> kept(kernels.size(), 0);
    if (!network.training) {
        return kept;
    }
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const networks::ValueId made = kernels[k].kernel.output;
        bool read = false;
        // Only what the forward pass makes can be kept for another pass.
        for (std::size_t reader = k + 1;
             reader < kernels.size() && network.pass(k) == Pass::forward; ++reader) {
            read = read || (network.pass(reader) != Pass::forward &&
                            std::ranges::count(kernels[reader].kernel.inputs, made) > 0);
        }
        kept[k] = read ? networks::stored_size(kernels[k].nest.output) : 0;
    }
    return kept;
}

std::vector<TrainedLayer> training_layers(const JudgedNetwork& network)
{
    std::map<std::size_t, TrainedLayer> layers; // by node
    if (!network.training) {
        return {};
    }
    const std::vector<PlannedKernel>& kernels = network.planned.plan.kernels;
    const std::vector<std::int64_t> kept = kept_for_backward(network);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const std::size_t number = network.training->layer_of[kernels[k].nodes.front()];
        const networks::Node& node = network.graph.nodes[number];
        TrainedLayer& layer = layers[number];
        layer.name = node.name;
        layer.op = node.op;
        layer.shape = networks::to_string(network.graph.value(node.outputs.front()).shape);
        layer.kept_bytes += kept[k];
        for (const Judge judge : network.judges()) {
            if (const auto time = network.time(judge, k)) {
                layer.ns[judge][network.pass(k)] += kernels[k].share() * *time;
            }
        }
    }
    std::vector<TrainedLayer> all;
    for (auto& [number, layer] : layers) {
        all.push_back(std::move(layer));
    }
    return all;
}

} // namespace texelscope::workbench::network_studies
