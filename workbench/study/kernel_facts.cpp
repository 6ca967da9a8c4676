#include "workbench/study/kernel_facts.hpp"

#include "base/number_text.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/bottlenecks.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/stall_reasons.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace texelscope::workbench::study {
namespace {

struct Part {
    const char* words;
    double amount;
};

const Part& largest(const std::vector<Part>& parts)
{
    return *std::ranges::max_element(parts, {}, &Part::amount);
}

/// The shares of the issue ports' cycles in which no read was issued, by reason.
std::vector<Part> stalls(const SimulationResult& result)
{
    const StallStatistics all = all_stalls(result);
    const double total = std::max(1.0, static_cast<double>(all.total()));
    const auto share = [&](std::int64_t cycles) { return static_cast<double>(cycles) / total; };
    return {{"waiting for data", share(all.waiting_for_data)},
            {"arithmetic", share(all.alu_busy)},
            {"the texture unit is busy", share(all.texture_unit)},
            {"misses under way are as many as there can be", share(all.outstanding_misses)},
            {"a fill takes no further request", share(all.merge_slots)},
            {"the latency FIFO is full", share(all.latency_fifo)},
            {"idle cores", share(all.idle)}};
}

} // namespace

KernelFacts kernel_facts(const Operator& op, const Schedule& schedule, const DeviceProfile& device,
                         const Calibration& model, const StopToken& stop)
{
    const LoopNest nest = buffers_as_rows(loop_nest(op, schedule));
    SimulationOptions options = options_for(nest, device);
    options.mode.timed = true;
    // Kinds of misses are not among the facts, and telling them apart costs time.
    options.mode.miss_kinds = false;
    const SimulationResult simulation =
        simulate(*make_trace_source(launch_of(nest)), options, {}, stop);
    const Prediction prediction = predict(op, schedule, device, model, stop);
    const ModelKernel::Rounds& rounds = *prediction.kernel.rounds;
    const BottleneckCost cost =
        bottleneck_cost(rounds.stream, rounds.grid, rounds.options, rounds.model);

    KernelFacts facts;
    facts.l1_lookups = simulation.l1.lookups;
    facts.l1_misses = simulation.l1.misses();
    facts.from_memory = simulation.memory_bytes;
    facts.warps = simulation.warps;
    facts.resident_warps = simulation.occupancy.resident;
    facts.limited_by = reason(simulation.occupancy, options);
    const std::vector<Part> stalled = stalls(simulation);
    facts.stalled_by = largest(stalled).words;
    facts.stalled_share = largest(stalled).amount;
    facts.registers =
        options.kernel.registers_per_item.value_or(0) + options.kernel.spilled_registers;
    facts.issue_cycles = rounds.stream.code.cycles * static_cast<double>(simulation.warps);
    const Bottleneck bound = largest_bottleneck(cost);
    facts.bound_by = bound.words;
    facts.bound_share = cost.cycles > 0 ? bound.cycles / cost.cycles : 0;
    return facts;
}

std::string facts_text(const KernelFacts& facts)
{
    return fmt::format(
        "{} decides {} of the predicted time; simulated cycles: {} {}; room for {} {} a core ({})",
        facts.bound_by, percent_text(facts.bound_share), percent_text(facts.stalled_share),
        facts.stalled_by, facts.resident_warps, facts.resident_warps == 1 ? "warp" : "warps",
        facts.limited_by);
}

std::vector<KernelFact> facts_list(const KernelFacts& facts)
{
    const auto count = [](const char* name, std::int64_t value) {
        return KernelFact{name, count_text(value), static_cast<double>(value)};
    };
    return {count("L1 misses", facts.l1_misses),
            count("L1 lookups", facts.l1_lookups),
            {"from memory", bytes_text(facts.from_memory),
             static_cast<double>(facts.from_memory.value)},
            count("warps a core", facts.resident_warps),
            {"limited by", facts.limited_by, {}},
            count("registers", facts.registers),
            count("issue cycles", std::llround(facts.issue_cycles)),
            count("warps", facts.warps),
            {"predicted time", percent_text(facts.bound_share) + " " + facts.bound_by, {}},
            {"simulated cycles", percent_text(facts.stalled_share) + " " + facts.stalled_by, {}}};
}

std::vector<FactDifference> differences(const KernelFacts& here, const KernelFacts& there)
{
    constexpr double least = 1.05;
    const std::vector<KernelFact> a = facts_list(here);
    const std::vector<KernelFact> b = facts_list(there);
    std::vector<FactDifference> found;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!a[i].value || *a[i].value == *b[i].value) {
            continue;
        }
        const double ratio =
            *b[i].value == 0 ? std::numeric_limits<double>::infinity() : *a[i].value / *b[i].value;
        if (ratio >= least || ratio <= 1 / least) {
            found.push_back({a[i].name, a[i].text, b[i].text, ratio});
        }
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, [](const FactDifference& difference) {
        // The logarithm of 0 is infinite, so a count of 0 sorts to the front, too.
        return std::abs(std::log(difference.ratio));
    });
    return found;
}

std::string differences_text(const std::vector<FactDifference>& differences, std::size_t most)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(most, differences.size()); ++i) {
        const FactDifference& each = differences[i];
        text += fmt::format("{}{} {} instead of {}", i == 0 ? "" : ", ", each.name, each.here,
                            each.there);
    }
    return text.empty() ? "nothing that is counted differs" : text;
}

} // namespace texelscope::workbench::study
