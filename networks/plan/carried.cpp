#include "networks/plan/carried.hpp"

#include "networks/plan/copies.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::networks {
namespace {

/// Whether a kernel can make the new value of an input in the input's own memory: every work-item
/// must read only elements that it overwrites itself, and in a buffer.
bool replaces_in_place(const Plan& plan, const PlannedKernel& planned)
{
    const NodeKernel& kernel = planned.kernel;
    const ValueId place = place_of(plan.graph, kernel.output);
    const bool buffer = layout_of(plan, place)->memory == codegen::Memory::buffer;
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
        const bool same =
            kernel.inputs[i] != no_value && place_of(plan.graph, kernel.inputs[i]) == place;
        // An image cannot be read and written by one kernel.
        if (same && !(buffer && reads_what_it_writes(kernel, i))) {
            return false;
        }
    }
    return true;
}

} // namespace

bool is_carried(const Graph& graph, ValueId value)
{
    return std::ranges::find(graph.carried, value, &Carried::next) != graph.carried.end();
}

bool reads_what_it_writes(const NodeKernel& kernel, std::size_t input)
{
    return kernel.contraction &&
           kernel.contraction->inputs[input].index == kernel.contraction->output_index;
}

std::vector<bool> read_in_place(const Plan& plan)
{
    std::vector<bool> in_place(plan.graph.values.size(), false);
    for (const Carried& each : plan.graph.carried) {
        in_place[static_cast<std::size_t>(place_of(plan.graph, each.input))] = true;
    }
    for (const PlannedKernel& each : plan.kernels) {
        for (std::size_t i = 0; i < each.kernel.inputs.size(); ++i) {
            if (each.kernel.inputs[i] != no_value && !reads_what_it_writes(each.kernel, i)) {
                in_place[static_cast<std::size_t>(place_of(plan.graph, each.kernel.inputs[i]))] =
                    false;
            }
        }
    }
    return in_place;
}

std::vector<bool> twins(const Plan& plan)
{
    std::vector<bool> twin(plan.graph.values.size(), false);
    for (const PlannedKernel& each : plan.kernels) {
        if (is_carried(plan.graph, each.kernel.output) && !replaces_in_place(plan, each)) {
            twin[static_cast<std::size_t>(place_of(plan.graph, each.kernel.output))] = true;
        }
    }
    return twin;
}

Plan with_copies_back(Plan plan)
{
    std::vector<PlannedKernel> kernels;
    for (PlannedKernel& each : plan.kernels) {
        const ValueId output = each.kernel.output;
        const bool copies = is_carried(plan.graph, output) && !replaces_in_place(plan, each);
        const std::vector<std::size_t> nodes = each.nodes;
        const int every = each.every;
        ValueId made = output;
        if (copies) {
            const codegen::TensorLayout layout = *layout_of(plan, output);
            made = plan.graph.add_value(plan.graph.value(output).name + ".made",
                                        plan.graph.value(output).shape);
            plan.layouts.emplace_back(layout);
            each.kernel.output = made;
        }
        kernels.push_back(std::move(each));
        if (copies) {
            const codegen::TensorLayout& layout = *plan.layouts.back();
            PlannedKernel copy{conversion_kernel(plan.graph, made, output, layout.packed),
                               nodes,
                               true,
                               {},
                               {},
                               every};
            copy.schedule = starting_schedule(copy.kernel, layout.packed, layout.storage);
            kernels.push_back(std::move(copy));
        }
    }
    plan.kernels = std::move(kernels);
    return plan;
}

} // namespace texelscope::networks
