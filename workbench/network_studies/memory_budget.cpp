#include "workbench/network_studies/memory_budget.hpp"

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "networks/plan/memory_plan.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace texelscope::workbench::network_studies {

std::int64_t memory_of(const networks::Plan& plan)
{
    const networks::MemoryPlan memory = memory_plan(plan);
    return memory.slot_bytes() + memory.constant_bytes;
}

BudgetedStep
within_budget(const networks::TrainingStep& step, std::int64_t bytes,
              const std::function<networks::Plan(const networks::TrainingStep&)>& planned)
{
    const std::size_t blocks = blocks_of(step).size();
    std::vector<networks::Block> again;
    networks::TrainingStep tried = step;
    for (double margin = 1;;) {
        const networks::MemoryPlan memory = memory_plan(planned(tried));
        const std::int64_t takes = memory.slot_bytes() + memory.constant_bytes;
        if (takes <= bytes) {
            return {std::move(tried), again.size(), blocks};
        }
        // Nodes say which blocks help, as needed_at_once() is cheap to work out. A plan's kernels
        // are several nodes each and take less, so their ratio says how much the nodes may take.
        const double kernels_to_nodes = static_cast<double>(needed_at_once(tried.graph)) /
                                        static_cast<double>(memory.slot_bytes());
        const auto left = static_cast<double>(bytes - memory.constant_bytes);
        std::vector<networks::Block> more =
            blocks_within(step, static_cast<std::int64_t>(left * kernels_to_nodes * margin));
        if (more == again) {
            throw bad_input(
                fmt::format(
                    "it takes {} where {} of {} blocks are computed again, {} of them weights and "
                    "what is given",
                    base::bytes_text(Bytes{takes}), again.size(), blocks,
                    base::bytes_text(Bytes{memory.constant_bytes})),
                "--memory " + base::bytes_text(Bytes{bytes}),
                "give more, or train smaller batches");
        }
        again = std::move(more);
        tried = with_recomputation(step, again);
        // If the plan was still too large, a little less is allowed next time.
        constexpr double less = 0.95;
        margin *= less;
    }
}

} // namespace texelscope::workbench::network_studies
