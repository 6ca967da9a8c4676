#include "experiments/work_groups/work_group_networks.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/registers/register_estimate.hpp"
#include "workbench/network_studies/network_measurement.hpp"
#include "workbench/network_studies/network_simulation.hpp"
#include "workbench/network_studies/network_tuning.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <utility>

namespace texelscope::experiments {
// A network is planned once as TFLite plans it. Then the work-groups of its convolutions are set,
// first to TFLite's and then to what the rules select, and both plans are simulated or run.
namespace {

using networks::Plan;
using networks::PlannedKernel;

/// The convolution that a kernel computes, if it is one that the rules are for: "currently Conv and
/// Dw-Conv are supported" (section 4.2).
std::optional<NetworkConvolution> ruled(const Plan& plan, std::size_t kernel)
{
    const auto found = convolution_of(plan, kernel);
    return found && found->kind != ConvolutionKind::fully_connected ? found : std::nullopt;
}

/// How many tiles the output has along channels, width and height: one work-item each.
Dim3 grid_of_tiles(const PlannedKernel& planned)
{
    const Operator::Grid& grid = planned.kernel.op.grid;
    const auto& extents = grid.tiled.empty() ? grid.extents : grid.tiled;
    Dim3 tiles{1, 1, 1};
    for (std::size_t axis = 0; axis < std::min<std::size_t>(extents.size(), 3); ++axis) {
        const std::int64_t side =
            axis < planned.schedule.tile.size() ? planned.schedule.tile[axis] : 1;
        tiles[axis] = static_cast<std::int32_t>(codegen::ceil_div(extents[axis], side));
    }
    tiles[2] *= static_cast<std::int32_t>(grid.planes);
    return tiles;
}

/// What the rules ask of a kernel, in the paper's axes: x along the width, y the height, z the
/// channels.
RuleTerms terms_of(const PlannedKernel& planned, bool depthwise, const DeviceProfile& device)
{
    RuleTerms terms = rule_terms(planned.kernel.op, planned.schedule, device,
                                 estimated_registers(planned.nest, device));
    const Dim3 grid = grid_of_tiles(planned);
    terms.problem = {grid[1], grid[2], grid[0]};
    const std::int64_t outputs = planned.schedule.tile.size() > 1 ? planned.schedule.tile[1] : 1;
    terms.block_bytes = outputs * bytes_per_texel(planned.schedule.storage);
    terms.kind = depthwise ? RuleTerms::Kind::depthwise : RuleTerms::Kind::convolution;
    return terms;
}

/// Sets the work-group. Lanes of a warp go along the width first, as TFLite's do.
void set_group(PlannedKernel& planned, const Dim3& group)
{
    planned.schedule.group = group;
    planned.schedule.warp = {1, group[1]};
}

/// The largest divisor of a number that is at most `most`.
std::int32_t largest_divisor(std::int32_t number, std::int32_t most)
{
    std::int32_t divisor = std::min(number, most);
    while (number % divisor != 0) {
        --divisor;
    }
    return divisor;
}

/// At most so many elements, evenly spaced from the first on.
std::vector<Dim3> evenly_spaced(const std::vector<Dim3>& all, std::size_t most)
{
    std::vector<Dim3> some;
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
        some.push_back(all[i * all.size() / std::min(most, all.size())]);
    }
    return some;
}

std::vector<bool> made_inputs(const Plan& plan, const PlannedKernel& planned)
{
    return mapped(planned.kernel.inputs,
                  [&](networks::ValueId input) { return networks::is_made(plan, input); });
}

/// The time of a kernel alone with another work-group; nothing where it cannot run.
std::optional<double> time_with(const Dim3& group, const Plan& plan, const PlannedKernel& planned,
                                const KernelTimer& timer)
{
    PlannedKernel other{planned.kernel, {}, false, planned.schedule, {}};
    set_group(other, group);
    return timer.time(
        planned.kernel.op.nest(other.schedule, networks::open_layouts(plan, planned.kernel)),
        made_inputs(plan, planned));
}

/// On a Mali TFLite runs each size and takes the fastest; here a few of them are timed.
Dim3 fastest_group(const Plan& plan, const PlannedKernel& planned, const std::vector<Dim3>& groups,
                   const KernelTimer& timer)
{
    Dim3 best = groups.front();
    double least = no_cost;
    for (const Dim3& group : groups) {
        if (const auto ns = time_with(group, plan, planned, timer); ns && *ns < least) {
            least = *ns;
            best = group;
        }
    }
    return best;
}

/// Throws bad_input where a real device does not run a kernel with one of these work-groups: of a
/// network that fails, nobody can tell whether its kernel or the device is to blame.
void require_runs(const std::vector<Dim3>& groups, const Plan& plan, const PlannedKernel& planned,
                  const KernelTimer& timer)
{
    for (const Dim3& group : groups) {
        if (!time_with(group, plan, planned, timer)) {
            throw bad_input(fmt::format("a work-group of {}x{}x{} does not run there", group[0],
                                        group[1], group[2]),
                            plan.graph.name + ", " + planned.kernel.op.name);
        }
    }
}

double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/// Time in ns, and what share of it cores, arithmetic and memory are busy.
struct Utilisation {
    double ns = 0, cores = 0, alus = 0, memory = 0;
};

/// Means over the kernels, each weighted by its time.
Utilisation utilisation_of(const std::vector<SimulatedKernel>& kernels, const DeviceProfile& device)
{
    const auto& timing = device.simulation.machine.timing;
    const double bytes_per_ns = timing.memory_bytes_per_cycle * timing.clock_mhz / 1000;
    Utilisation sum;
    double active = 0; // ns of cores that are not done
    for (const SimulatedKernel& kernel : kernels) {
        double all = 0, idle = 0, arithmetic = 0;
        // Each kernel counts by its time.
        for (const StallStatistics& core : kernel.stalls) {
            all += static_cast<double>(core.total());
            idle += static_cast<double>(core.idle);
            arithmetic += static_cast<double>(core.alu_busy);
        }
        const double ns = kernel.time->value;
        sum.ns += ns;
        sum.cores += ns * share(all - idle, all);
        sum.alus += ns * share(arithmetic, all);
        // Arithmetic counts while a core is not done.
        active += ns * share(all - idle, all);
        const CacheStatistics& last = device.simulation.machine.has_l2() ? kernel.l2 : kernel.l1;
        sum.memory += static_cast<double>(last.bytes_filled.value) / bytes_per_ns;
    }
    return {sum.ns, share(sum.cores, sum.ns), share(sum.alus, active), share(sum.memory, sum.ns)};
}

/// A network with one choice of work-groups.
struct NetworkTimes {
    std::vector<double> kernel_ns;
    Utilisation use; ///< of a real device the time alone
};
NetworkTimes times_of(const networks::Graph& graph, Plan& plan, const ExperimentDevice& device,
                      std::int64_t accesses, const Progress& progress, const StopToken& stop)
{
    networks::lower(plan);
    if (device.real()) {
        networks::NetworkRunOptions run;
        run.samples = experiment_runs().samples;
        const NetworkMeasurement measured =
            measure_network(graph, plan, drawn_inputs(graph, 1), *device.on, run, false, stop);
        return {measured.kernel_ns, {.ns = measured.in_kernels()}};
    }
    const std::vector<SimulatedKernel> kernels =
        simulate_network(plan, device.profile, accesses, progress, stop);
    check_simulated(plan, kernels);
    return {mapped(kernels, [](const SimulatedKernel& kernel) { return kernel.time->value; }),
            utilisation_of(kernels, device.profile)};
}

} // namespace

Dim3 tflite_fast_group(const Dim3& grid, bool depthwise, const DeviceProfile& device)
{
    const auto limit =
        static_cast<std::int32_t>(std::min<std::int64_t>(device.limits.work_group_size, 1 << 20));
    const auto [channels, width, height] = grid;
    if (depthwise) {
        std::int32_t c = 1;
        // The first of these that divides the channels, else the largest divisor up to 8.
        for (const std::int32_t side : {8, 4, 2}) {
            if (channels % side == 0 && c == 1) {
                c = side;
            }
        }
        c = c == 1 ? largest_divisor(channels, 8) : c;
        const std::int32_t w =
            std::min(static_cast<std::int32_t>(codegen::ceil_div(width, 2)), limit / c);
        return {c, w, std::min(limit / c / w, height)};
    }
    const std::int32_t c = largest_divisor(channels, std::min(64, limit));
    const std::int32_t plane = std::max(std::min(256, limit) / c, 1);
    const std::int32_t w = std::min(width, plane);
    const std::int32_t h = std::min(plane / w, height);
    return {c, w, h == height && height % 2 == 0 ? height / 2 : h};
}

Dim3 group_by_rules(const RuleTerms& terms, std::uint64_t seed)
{
    std::vector<std::array<std::int64_t, 3>> left;
    const auto& [x, y, z] = terms.problem;
    for (std::int64_t wz = 1; wz <= std::min(z, terms.most_items); ++wz) {
        for (std::int64_t wy = 1; wy <= y && wz * wy <= terms.most_items; ++wy) {
            for (std::int64_t wx = 1; wx <= x && wz * wy * wx <= terms.most_items; ++wx) {
                left.push_back({wx, wy, wz});
            }
        }
    }
    // A rule that no size follows is passed over, as otherwise nothing would be left.
    RuleTerms one = terms;
    for (const WorkGroupRule rule : all_work_group_rules) {
        std::vector<std::array<std::int64_t, 3>> following;
        std::ranges::copy_if(left, std::back_inserter(following),
                             [&](const std::array<std::int64_t, 3>& group) {
                                 one.group = group;
                                 return follows(rule, one);
                             });
        if (!following.empty()) {
            left = std::move(following);
        }
    }
    // "Any of those that are left" (section 4.1).
    std::mt19937_64 random(seed);
    const auto& [wx, wy, wz] = left[base::shuffled_indices(random, left.size()).front()];
    return {static_cast<std::int32_t>(wz), static_cast<std::int32_t>(wx),
            static_cast<std::int32_t>(wy)};
}

WorkGroupNetwork measure_work_group_network(const std::string& network,
                                            const ExperimentDevice& device,
                                            const WorkGroupNetworkOptions& options,
                                            const Progress& progress, const StopToken& stop)
{
    return measure_work_group_network(planned_network(network), device, options, progress, stop);
}

WorkGroupNetwork measure_work_group_network(const networks::Graph& graph,
                                            const ExperimentDevice& device,
                                            const WorkGroupNetworkOptions& options,
                                            const Progress& progress, const StopToken& stop)
{
    const auto part = [&](std::size_t i) {
        return part_progress(progress, i, 4, device.name() + ", " + graph.name);
    };
    NetworkSearchOptions search;
    search.policy = "mldrift";
    Plan plan = best_plan(graph, device.profile, search, part(0), stop).plan;
    // With a quarter of the accesses, as there are many sizes to compare.
    const KernelTimer timer = device.real() ? time_on(*device.on, experiment_runs().samples, stop)
                                            : time_on(device.profile, options.accesses / 4, stop);
    struct Chosen {
        Dim3 tflite, rules;
        std::int64_t sizes = 0;
    };
    std::map<std::string, Chosen> known; // of convolutions alike
    std::vector<std::pair<std::size_t, const Chosen*>> chosen;
    WorkGroupNetwork result{device.name(), graph.name};
    result.measured = device.real();
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const auto convolution = ruled(plan, k);
        if (!convolution) {
            continue;
        }
        tell(part(1), "choosing work-groups", k, plan.kernels.size());
        const PlannedKernel& planned = plan.kernels[k];
        // Convolutions that are alike get the same work-group, so they are looked at once.
        const auto [found, fresh] = known.try_emplace(planned.kernel.op.name + convolution->shape);
        if (fresh) {
            const bool depthwise = convolution->kind == ConvolutionKind::depthwise;
            const Dim3 grid = grid_of_tiles(planned);
            const std::vector<Dim3> sizes = tflite_groups(grid, device.profile);
            found->second = {
                gpu_family(device.profile.name) == "adreno" || sizes.empty()
                    ? tflite_fast_group(grid, depthwise, device.profile)
                    : fastest_group(plan, planned, evenly_spaced(sizes, options.trials), timer),
                group_by_rules(terms_of(planned, depthwise, device.profile),
                               options.seed + known.size()),
                std::ssize(sizes)};
            result.sizes += found->second.sizes;
            if (device.real()) {
                require_runs({found->second.tflite, found->second.rules}, plan, planned, timer);
            }
        }
        chosen.emplace_back(k, &found->second);
    }
    for (const auto& [k, groups] : chosen) {
        set_group(plan.kernels[k], groups->tflite);
    }
    const NetworkTimes before = times_of(graph, plan, device, options.accesses, part(2), stop);
    std::map<const Chosen*, double> times; // kernels alike are tried once
    for (const auto& [k, groups] : chosen) {
        times.try_emplace(groups, before.kernel_ns[k] * static_cast<double>(groups->sizes));
    }
    for (const auto& [groups, ns] : times) {
        result.trying_ns += ns;
    }
    const Utilisation& tflite = before.use;
    for (const auto& [k, groups] : chosen) {
        set_group(plan.kernels[k], groups->rules);
    }
    const Utilisation rules = times_of(graph, plan, device, options.accesses, part(3), stop).use;
    result.tflite_ns = tflite.ns;
    result.rules_ns = rules.ns;
    result.core_utilisation = tflite.cores;
    result.alu_utilisation = tflite.alus;
    result.memory_utilisation = tflite.memory;
    result.rules_alu_utilisation = rules.alus;
    return result;
}

} // namespace texelscope::experiments
