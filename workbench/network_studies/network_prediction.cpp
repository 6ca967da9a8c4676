#include "workbench/network_studies/network_prediction.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "networks/plan/kernel_operator.hpp"
#include "networks/plan/memory_plan.hpp"
#include "workbench/study/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace texelscope::workbench::network_studies {
// The model prices kernels one by one. Times are kept in parts, by bottleneck, so that the parts of
// all kernels can be added up.
namespace {

KernelPrediction predicted(const networks::Plan& plan, std::size_t kernel, bool clears,
                           const DeviceProfile& device, const StopToken& stop)
{
    const Operator op = networks::kernel_operator(plan, kernel);
    const ModelKernel model = bottleneck_kernel(op, op.default_schedule, device, stop);
    const ModelKernel::Rounds& rounds = *model.rounds;
    const BottleneckCost cost =
        bottleneck_cost(rounds.stream, rounds.grid, rounds.options, rounds.model);
    KernelPrediction found;
    found.parts = time_parts(cost, rounds.options.machine);
    if (clears) {
        found.parts.push_back(
            {"clearing", clearing_time(plan.kernels[kernel].nest.output, device)});
    }
    found.waves = cost.waves;
    found.occupancy = occupancy(rounds.options, model.warps_per_group);
    found.limited_by = reason(found.occupancy, rounds.options);
    return found;
}

/// The largest part first; equal ones in the order of their names.
std::vector<TimePart> in_order(const std::map<std::string, TimePart>& sums)
{
    std::vector<TimePart> parts;
    for (const auto& [name, part] : sums) {
        parts.push_back(part);
    }
    std::ranges::stable_sort(parts, std::greater{},
                             [](const TimePart& part) { return part.time.value; });
    return parts;
}

} // namespace

std::optional<Nanoseconds> KernelPrediction::time() const
{
    if (parts.empty()) {
        return std::nullopt;
    }
    Nanoseconds sum{0};
    for (const TimePart& part : parts) {
        sum.value += part.time.value;
    }
    return sum;
}

Nanoseconds clearing_time(const Operand& operand, const DeviceProfile& device)
{
    // The bytes through the port of L2, as stores are priced, and one more launch.
    const Machine& machine = device.simulation.machine;
    const double cycles = static_cast<double>(networks::stored_size(operand)) /
                          machine.shared_level().bytes_per_cycle;
    return Nanoseconds{cycles * 1000 / machine.timing.clock_mhz + machine.timing.launch_ns};
}

std::vector<KernelPrediction> predict_network(const networks::Plan& plan,
                                              const DeviceProfile& device, const Progress& progress,
                                              const StopToken& stop)
{
    const networks::MemoryPlan memory = memory_plan(plan);
    std::vector<KernelPrediction> kernels;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        tell(progress, "predicting kernels", k, plan.kernels.size());
        try {
            kernels.push_back(predicted(plan, k, memory.clears_before(plan, k), device, stop));
        } catch (const Error& error) { // the device has no room for it, or its profile no price
            kernels.emplace_back().why_not = error.what();
        }
    }
    return kernels;
}

std::vector<TimePart> parts_by_bottleneck(const std::vector<KernelPrediction>& kernels)
{
    std::map<std::string, TimePart> sums;
    for (const KernelPrediction& kernel : kernels) {
        for (const TimePart& part : kernel.parts) {
            if (part.time.value > 0) {
                TimePart& sum = sums.try_emplace(part.name, TimePart{part.name, Nanoseconds{0}, 0})
                                    .first->second;
                sum.time.value += part.time.value;
                sum.kernels += &part == kernel.bottleneck() ? 1 : 0;
            }
        }
    }
    return in_order(sums);
}

std::vector<TimePart> parts_by_kind(const networks::Plan& plan,
                                    const std::vector<KernelPrediction>& kernels)
{
    std::map<std::string, TimePart> sums;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        if (const auto time = kernels[k].time()) {
            const std::string kind = kernel_kind(plan, k);
            TimePart& sum = sums.try_emplace(kind, TimePart{kind, Nanoseconds{0}, 0}).first->second;
            sum.time.value += time->value;
            ++sum.kernels;
        }
    }
    return in_order(sums);
}

std::string kernel_kind(const networks::Plan& plan, std::size_t kernel)
{
    const networks::PlannedKernel& planned = plan.kernels.at(kernel);
    if (planned.conversion) {
        return "conversion";
    }
    const networks::Node& node = plan.graph.nodes[planned.nodes.front()];
    if (node.op != "Conv" && node.op != "ConvTranspose") {
        return node.op;
    }
    const networks::Shape& image = plan.graph.value(node.inputs[0]).shape;
    const networks::Shape& weights = plan.graph.value(node.inputs[1]).shape;
    const std::int64_t groups = node.attributes.integer("group", 1);
    const std::vector<std::int64_t> window(weights.begin() + 2, weights.end());
    return fmt::format("{} {}{}", node.op, fmt::join(window, "x"),
                       groups == 1          ? ""
                       : groups == image[1] ? " depthwise"
                                            : " in groups");
}

} // namespace texelscope::workbench::network_studies
