#include "experiments/judges/judge_causes.hpp"

#include "base/number_text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "sim/simulate.hpp"
#include "sim/timed/timed.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/stall_reasons.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace texelscope::experiments {
// Where model and simulator differ on a kernel, both count the same things (lookups, misses,
// resident warps), so that the first count in which they differ tells why.
namespace {

/// L1 misses of the same launch where each warp has one read under way. If there are far fewer, the
/// reads that a warp puts ahead evict each other's lines.
std::int64_t misses_of_single_reads(const TraceSource& source, SimulationOptions options,
                                    const StopToken& stop)
{
    options.machine.instructions.reads_in_flight = 1;
    options.mode.miss_kinds = false;
    return simulate(source, options, {}, stop).l1.misses();
}

std::string whole(double count)
{
    return count_text(std::llround(count));
}

/// "model 3,168, simulator 38,496".
std::string both(double model, double simulator)
{
    return fmt::format("model {}, simulator {}", whole(model), whole(simulator));
}

struct Share {
    std::string name;
    double of = 0;
};
/// The largest of some shares: "NAME 58 %".
std::string largest(std::span<const Share> shares)
{
    double all = 0;
    for (const Share& share : shares) {
        all += share.of;
    }
    const auto most = std::ranges::max_element(shares, {}, &Share::of);
    return all > 0 ? fmt::format("{} {:.0f} %", most->name, 100 * most->of / all) : "none";
}

/// What most cycles go to, by the model's bounds and by the simulator's stalls.
std::string where_cycles_go(const ComparedCounts& counts)
{
    const BottleneckCost& m = counts.model;
    std::vector<Share> bounds{Share{"latency", m.latency}, Share{"issue", m.issue},
                              Share{"texture unit", m.texture_unit}};
    for (std::size_t level = 1; level < m.levels.size(); ++level) {
        bounds.push_back({m.levels[level].name + " bandwidth", m.levels[level].bandwidth});
    }
    bounds.insert(bounds.end(), {Share{"memory bandwidth", m.memory_bandwidth},
                                 Share{"entries for misses", m.outstanding_misses},
                                 Share{"stores", m.stores}, Share{"local memory", m.local_memory}});
    const StallStatistics& s = counts.stalls;
    const auto share = [](const char* name, std::int64_t cycles) {
        return Share{name, static_cast<double>(cycles)};
    };
    const std::array stalls{share("reads issued", s.issued),
                            share("waiting for data", s.waiting_for_data),
                            share("instructions", s.alu_busy),
                            share("texture unit", s.texture_unit),
                            share("entries for misses", s.outstanding_misses),
                            share("merges of misses", s.merge_slots),
                            share("latency FIFO", s.latency_fifo),
                            share("idle cores", s.idle)};
    return fmt::format("bound of the model: {}, cycles of the simulator: {}", largest(bounds),
                       largest(stalls));
}

std::string kind_of_misses(const CacheStatistics& cache)
{
    const std::array kinds{Share{"compulsory", static_cast<double>(cache.compulsory)},
                           Share{"capacity", static_cast<double>(cache.capacity)},
                           Share{"conflict", static_cast<double>(cache.conflict)}};
    return largest(kinds);
}

/// Whether more than half of the misses come from reads that a warp has under way at once.
bool reads_ahead_miss(const ComparedCounts& counts)
{
    return counts.misses_of_single_reads && 2 * *counts.misses_of_single_reads < counts.l1.misses();
}

std::string misses_text(const ComparedCounts& counts)
{
    std::string text = fmt::format(
        "{} ({})", both(counts.model.misses("L1"), static_cast<double>(counts.l1.misses())),
        kind_of_misses(counts.l1));
    if (reads_ahead_miss(counts)) {
        text += fmt::format(
            "; with one read under way {}: reads put ahead throw each other out of {} lines",
            count_text(*counts.misses_of_single_reads), counts.l1_lines);
    }
    return text;
}

/// A count that both judges have.
struct Counted {
    Cause cause;
    double model = 0, simulator = 0;
    double longer = 1; ///< 1: the more of it, the longer a kernel takes; -1: the shorter
    bool matters = true;

    /// By how much the model's number makes it slower than the simulator's number would, as a
    /// logarithm.
    [[nodiscard]] double slower() const { return longer * std::log(model / simulator); }
};

std::string text_of(const Counted& counted, const ComparedCounts& counts)
{
    const std::string amount = counted.model > counted.simulator ? "too many" : "too few";
    switch (counted.cause) {
    case Cause::l1_misses:
        return fmt::format("{} L1 misses: {}", amount, misses_text(counts));
    case Cause::l2_misses:
        return fmt::format("{} L2 misses: {} ({})", amount, both(counted.model, counted.simulator),
                           kind_of_misses(counts.l2));
    case Cause::lookups:
        return fmt::format("{} lookups: {}", amount, both(counted.model, counted.simulator));
    default:
        return fmt::format("{} resident warps: model {}, simulator {:.1f}", amount, counted.model,
                           counted.simulator);
    }
}

} // namespace

std::string to_string(Cause cause)
{
    constexpr std::array names{"close",     "sample", "launch", "lookups", "L1 misses",
                               "L2 misses", "warps",  "spills", "overlap"};
    return names[static_cast<std::size_t>(cause)];
}

ComparedCounts compared_counts(const Operator& op, const Schedule& schedule,
                               const DeviceProfile& device, const Calibration& calibration,
                               double sampled_ns, const StopToken& stop)
{
    const LoopNest nest = loop_nest(op, schedule);
    const Prediction prediction = predict(op, schedule, device, calibration, stop);
    const ModelKernel::Rounds& rounds = *prediction.kernel.rounds;
    SimulationOptions options = options_for(nest, device);
    options.mode.timed = true;
    const auto source = make_trace_source(launch_of(nest));
    const SimulationResult simulated = simulate(*source, options, {}, stop);
    ComparedCounts counts{
        .predicted_ns = prediction.cost(ModelVariant::bottleneck).kernel.value,
        .sampled_ns = sampled_ns,
        .simulated_ns = simulated.time(options.machine)->value,
        .launch_ns = options.machine.timing.launch_ns,
        .model = bottleneck_cost(rounds.stream, rounds.grid, rounds.options, rounds.model),
        .l1 = simulated.l1,
        .l2 = simulated.l2(),
        .stalls = all_stalls(simulated),
        .resident_warps = simulated.average_resident_warps(),
        .l1_lines = options.machine.l1().geometry.lines(),
        .spilled_registers = options.kernel.spilled_registers,
        .in_l2 = warm_level(*source, options).has_value(),
        .misses_of_single_reads = {}};
    if (options.machine.instructions.reads_in_flight > 1) {
        counts.misses_of_single_reads = misses_of_single_reads(*source, options, stop);
    }
    return counts;
}

Disagreement disagreement_of(const ComparedCounts& counts)
{
    const double near = std::log(1.1), apart = std::log(1.25);
    constexpr double few = 0.05, mostly = 0.5;
    const double slower = std::log(counts.predicted_ns / counts.simulated_ns);
    // A time within 10 % of the whole launch and of the sample is called close.
    const double than_sample = std::log(counts.predicted_ns / counts.sampled_ns);
    if (std::abs(slower) <= near && std::abs(than_sample) <= near) {
        return {Cause::close, "the times are within 10 %"};
    }
    const bool sample_is_off = std::abs(std::log(counts.simulated_ns / counts.sampled_ns)) > near;
    if (sample_is_off && std::abs(slower) < std::abs(than_sample) && std::abs(slower) <= apart) {
        return {Cause::sample,
                fmt::format("the whole launch takes {:.2f} times what the sample says",
                            counts.simulated_ns / counts.sampled_ns)};
    }
    if (counts.launch_ns > mostly * std::max(counts.predicted_ns, counts.simulated_ns)) {
        return {Cause::launch,
                fmt::format("{:.0f} % of the simulated time are the launch; of the rest, {}",
                            100 * counts.launch_ns / counts.simulated_ns, where_cycles_go(counts))};
    }
    const auto number = [](std::int64_t count) { return static_cast<double>(count); };
    const double lookups = number(counts.l1.lookups);
    const double l1_misses = number(counts.l1.misses());
    const double model_l1 = counts.model.misses("L1");
    const double model_l2 = counts.model.misses("L2");
    const std::array counted{
        Counted{Cause::lookups, counts.model.l1_lookups, lookups},
        Counted{Cause::l1_misses, model_l1, l1_misses, 1,
                std::max(model_l1, l1_misses) >= few * lookups},
        Counted{Cause::l2_misses, model_l2, number(counts.l2.misses()), 1,
                !counts.in_l2 && std::max(model_l2, number(counts.l2.misses())) >= few * lookups},
        Counted{Cause::warps, number(counts.model.resident_warps), counts.resident_warps, -1}};
    const Counted* most = nullptr;
    for (const Counted& one : counted) {
        // Only a count that differs in the direction of the times can explain them.
        const bool explains =
            one.matters && (one.slower() > 0) == (slower > 0) && std::abs(one.slower()) >= apart;
        if (explains && (most == nullptr || std::abs(one.slower()) > std::abs(most->slower()))) {
            most = &one;
        }
    }
    if (most != nullptr) {
        return {most->cause,
                fmt::format("{}; {}", text_of(*most, counts), where_cycles_go(counts))};
    }
    if (counts.spilled_registers > 0) {
        return {Cause::spills, fmt::format("{} registers of a work-item are kept in memory; {}",
                                           counts.spilled_registers, where_cycles_go(counts))};
    }
    return {Cause::overlap,
            fmt::format("{} L1 misses, {}", both(counts.model.misses("L1"), l1_misses),
                        where_cycles_go(counts))};
}

} // namespace texelscope::experiments
