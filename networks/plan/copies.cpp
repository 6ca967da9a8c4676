#include "networks/plan/copies.hpp"

#include "networks/lowering/kernel_builder.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace texelscope::networks {

NodeKernel conversion_kernel(const Graph& graph, ValueId from, ValueId to, int packed)
{
    KernelBuilder builder("Convert", graph, to, packed);
    Index index = builder.outputs();
    builder.further(from, index);
    return builder.finish(std::move(index), 0);
}

Plan with_copies(Plan plan, std::vector<ValueCopy> copies)
{
    // each with the number of the kernel in front of which it goes
    std::vector<std::pair<std::size_t, PlannedKernel>> conversions;
    for (const ValueCopy& copy : copies) {
        const codegen::TensorLayout layout = *layout_of(plan, copy.value);
        const Value from = plan.graph.value(copy.value);
        const ValueId to = plan.graph.add_value(from.name + ".copy", from.shape);
        plan.layouts.emplace_back(layout);
        for (const std::size_t reader : copy.readers) {
            std::ranges::replace(plan.kernels[reader].kernel.inputs, copy.value, to);
        }
        const std::size_t first = copy.readers.front();
        PlannedKernel conversion{conversion_kernel(plan.graph, copy.value, to, layout.packed),
                                 {plan.kernels[first].nodes.front()},
                                 true,
                                 {},
                                 {}};
        conversion.schedule = starting_schedule(conversion.kernel, layout.packed, layout.storage);
        conversions.emplace_back(first, std::move(conversion));
    }
    std::ranges::stable_sort(conversions, std::greater<>(),
                             &std::pair<std::size_t, PlannedKernel>::first);
    // From the last to the first, so that numbers of kernels in front stay valid.
    for (auto& [before, conversion] : conversions) {
        plan.kernels.insert(plan.kernels.begin() + static_cast<std::ptrdiff_t>(before),
                            std::move(conversion));
    }
    return plan;
}

} // namespace texelscope::networks
