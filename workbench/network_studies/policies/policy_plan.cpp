#include "workbench/network_studies/policies/policy_plan.hpp"

#include "base/error.hpp"
#include "workbench/network_studies/kernel_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace texelscope::workbench::network_studies {
// A policy fixes where values lie and some parts of schedules; the parts that the framework tunes
// are searched with our model, as for our own plans.
namespace {

using networks::Plan;
using networks::PlannedKernel;
using networks::ValueId;

/// The class of a kernel by the node that it begins with.
KernelClass class_of(const Plan& plan, const PlannedKernel& planned)
{
    const networks::NodeKernel& kernel = planned.kernel;
    const networks::Node& node = plan.graph.nodes[planned.nodes.front()];
    if (planned.conversion) {
        return KernelClass::other;
    }
    if (node.op == "Conv" || node.op == "ConvTranspose") {
        const networks::Shape& weights = plan.graph.value(node.inputs[1]).shape;
        const bool one_tap = std::all_of(weights.begin() + 2, weights.end(),
                                         [](std::int64_t taps) { return taps == 1; });
        const bool depthwise = node.attributes.integer("group", 1) > 1 && weights[1] == 1;
        return depthwise ? KernelClass::depthwise
               : one_tap ? KernelClass::pointwise
                         : KernelClass::convolution;
    }
    if (node.op == "Gemm" || node.op == "MatMul") {
        const bool trained =
            std::ranges::count(plan.graph.carried, kernel.inputs[1], &networks::Carried::input) > 0;
        if (networks::is_made(plan, kernel.inputs[1]) && !trained) {
            // Weights in training are made by kernels as well, but count as constants.
            return KernelClass::matrix_product;
        }
        const networks::Shape& shape = plan.graph.value(kernel.output).shape;
        const bool one_row = networks::element_count(shape) == shape.back();
        return one_row ? KernelClass::fully_connected : KernelClass::pointwise;
    }
    const bool sums = !kernel.contraction || (!kernel.contraction->reductions.empty() &&
                                              node.op != "MaxPool" && node.op != "AveragePool");
    return sums ? KernelClass::reduction : KernelClass::other;
}

KernelToTile to_tile(const Plan& plan, const PlannedKernel& planned, const DeviceProfile& device)
{
    const Operator::Grid& grid = planned.kernel.op.grid;
    const auto& extents = grid.tiled.empty() ? grid.extents : grid.tiled;
    return {class_of(plan, planned),
            extents[0],
            extents[1],
            extents.size() > 2 ? extents[2] : 1,
            grid.planes,
            networks::layout_of(plan, planned.kernel.output)->packed >= 0,
            device};
}

/// A tile of the rule as our kernel takes it. Where texels hold single numbers, a work-item has one
/// output in place of a texel of four.
std::vector<std::int32_t> tile_of(const Dim3& tile, const KernelToTile& kernel)
{
    const std::int32_t channels = kernel.vectors ? tile[0] : std::max(1, tile[0] / 4);
    return tile[2] > 1 ? std::vector<std::int32_t>{channels, tile[1], tile[2]}
                       : std::vector<std::int32_t>{channels, tile[1]};
}

KernelChoices choices_of(const KernelRule& rule, const KernelToTile& kernel)
{
    KernelChoices choices{.parts = kernel.kind == KernelClass::reduction ? "TGR" : "TG"};
    for (const Dim3& tile : rule.tiles) {
        choices.tiles.push_back(tile_of(tile, kernel));
    }
    if (kernel.kind != KernelClass::reduction) { // shared ones make other groups
        choices.groups = rule.groups;
    }
    return choices;
}

/// The point at which the search of a kernel begins: what the framework fixes.
KernelPoint start_of(const Plan& plan, const PlannedKernel& planned, const KernelRule& rule,
                     const KernelToTile& kernel, const codegen::GivenLayouts& layouts)
{
    KernelPoint start{planned.schedule, layouts};
    start.schedule.group = {};
    start.schedule.split = rule.split;
    if (!rule.tiles.empty()) {
        start.schedule.tile = tile_of(rule.tiles.front(), kernel);
    }
    const std::size_t factors =
        planned.kernel.contraction ? planned.kernel.contraction->factors : 0;
    for (std::size_t input = 0; input < factors; ++input) {
        if (!networks::is_made(plan, planned.kernel.inputs[input])) {
            start.schedule.patterns[input] = rule.weights;
            start.schedule.memory.resize(layouts.size(), Memory::image);
            start.schedule.memory[input] = rule.weights_in;
        }
    }
    return start;
}

} // namespace

Plan laid_out(const LayoutPolicy& policy, Plan plan, const DeviceProfile& device)
{
    std::map<ValueId, std::vector<ValueReader>> readers;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        for (std::size_t i = 0; i < plan.kernels[k].kernel.inputs.size(); ++i) {
            readers[networks::place_of(plan.graph, plan.kernels[k].kernel.inputs[i])].push_back(
                {k, i});
        }
    }
    std::vector<std::optional<codegen::TensorLayout>> layouts(plan.layouts.size());
    for (std::size_t v = 0; v < plan.layouts.size(); ++v) {
        if (plan.layouts[v]) {
            const auto value = static_cast<ValueId>(v);
            layouts[v] = laid_out(policy, {plan, value, readers[value], device});
        }
    }
    plan.layouts = std::move(layouts);
    networks::lower(plan);
    const std::optional<LargeImage> large = image_beyond_limits(plan, device);
    if (large && policy.beyond != nullptr) {
        throw bad_input(
            fmt::format(
                "{} takes an image of {}x{} texels with the policy {}, of which {} takes {}x{}",
                plan.graph.value(large->value).name, large->extent.width, large->extent.height,
                policy.key, device.name, device.limits.image_width, device.limits.image_height),
            plan.graph.name, policy.beyond);
    }
    (void)use_buffers_beyond_limits(plan, device);
    return plan;
}

PredictedPlan plan_by_policy(const LayoutPolicy& policy, const networks::Graph& graph,
                             const DeviceProfile& device, const NetworkSearchOptions& options,
                             const Progress& progress, const StopToken& stop)
{
    Plan plan =
        laid_out(policy, networks::starting_plan(graph, options.fuse, options.storage), device);
    const auto rule_of = [&](const PlannedKernel& planned) {
        return policy.kernel(to_tile(plan, planned, device));
    };
    KernelKinds kinds(
        plan, device,
        [&](const PlannedKernel& planned) {
            return choices_of(rule_of(planned), to_tile(plan, planned, device));
        },
        stop);
    return settled(
        plan, kinds, device, options.candidates,
        [&](std::size_t k, const codegen::GivenLayouts& layouts) {
            tell(progress, "searching kernels", k, plan.kernels.size());
            const PlannedKernel& planned = plan.kernels[k];
            KernelSearch& kind = kinds.of(k);
            KernelRule rule = rule_of(planned);
            const auto found = [&] {
                const KernelPoint start =
                    start_of(plan, planned, rule, to_tile(plan, planned, device), layouts);
                const KernelProblem& problem = kind.problem();
                return kind.descend(kind.turn(kind.price(start), tile_knob(problem.tiles())).point,
                                    problem.knobs());
            };
            PricedKernel best = found();
            if (best.ns == no_cost) { // weights whose image would be too large
                rule.weights_in = Memory::buffer;
                best = found();
            }
            return best.ns < no_cost ? best : kind.price({planned.schedule, layouts});
        });
}

} // namespace texelscope::workbench::network_studies
