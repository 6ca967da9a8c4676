#include "workbench/tuning/exhaustive.hpp"

#include "base/progress.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/prediction.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace texelscope::workbench::tuning {
namespace {

// The device if every read hit L1: the model's time on it is a lower bound of what the simulator
// can find, since everything that may make a kernel slower was taken out.
DeviceProfile with_perfect_caches(DeviceProfile device)
{
    Machine& machine = device.simulation.machine;
    for (CacheLevel& level : machine.caches) {
        level.latency = machine.l1().latency;
        level.bytes_per_cycle = 1e12;
    }
    machine.timing.memory_latency = machine.l1().latency;
    machine.timing.memory_bytes_per_cycle = 1e12;
    machine.timing.local_bytes_per_cycle = {};
    machine.timing.outstanding_misses = std::numeric_limits<int>::max();
    device.model.overlap = {}; // bounds that overlap in part take longer than the slowest
    return device;
}

} // namespace

SpaceBounds space_bounds(const Operator& op, const DeviceProfile& device,
                         const ConfigurationSpace& space, const StopToken& stop)
{
    SpaceBounds bounds;
    for (const auto& [real, cycles] :
         {std::pair{true, &bounds.expected}, std::pair{false, &bounds.least}}) {
        const DeviceProfile as = real ? device : with_perfect_caches(device);
        const Ranking ranking =
            rank_by_model({op, as, space, {}, ModelVariant::bottleneck, stop}, 0);
        cycles->resize(static_cast<std::size_t>(space.size()));
        for (const RankedConfiguration& ranked : ranking.best) {
            (*cycles)[static_cast<std::size_t>(ranked.index)] =
                ranked.cost.value * device.simulation.machine.timing.clock_mhz / 1000;
        }
    }
    return bounds;
}

double simulated_ns(const Operator& op, const DeviceProfile& device, const Schedule& schedule,
                    std::int64_t most_accesses, const StopToken& stop)
{
    return simulated_time(loop_nest(op, schedule), device, most_accesses, stop).value;
}

ExhaustiveResult exhaustive(const Operator& op, const DeviceProfile& device,
                            const ConfigurationSpace& space, std::int64_t most_accesses,
                            std::size_t keep, const Progress& progress, const StopToken& stop)
{
    // Lower bounds are of the model, not of the simulator: a margin of 10 % keeps configurations
    // whose bound is only just too slow.
    constexpr double margin = 0.9;
    // The fastest ones are simulated again with so many times the accesses, for their order.
    constexpr std::int64_t closer = 50;
    const SpaceBounds bounds = space_bounds(op, device, space, stop);
    std::vector<std::int64_t> order(static_cast<std::size_t>(space.size()));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::ranges::stable_sort(order, {}, [&](std::int64_t index) {
        return bounds.expected[static_cast<std::size_t>(index)];
    });
    ExhaustiveResult result;
    std::vector<SimulatedElement> seen;
    // In the order of expected times, so that `best` is small early and rules out many.
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double least_ns = bounds.least[static_cast<std::size_t>(order[i])] * 1000 /
                                device.simulation.machine.timing.clock_mhz;
        if (margin * least_ns > best) {
            ++result.ruled_out;
            continue;
        }
        seen.push_back(
            {order[i], simulated_ns(op, device, space.at(order[i]), most_accesses, stop)});
        best = std::min(best, seen.back().ns);
        if (i % 16 == 0) {
            tell(progress, "simulating", i, order.size());
        }
    }
    result.simulated = std::ssize(seen);
    std::ranges::stable_sort(seen, {}, &SimulatedElement::ns);
    seen.resize(std::min(keep, seen.size()));
    for (SimulatedElement& element : seen) {
        element.ns =
            simulated_ns(op, device, space.at(element.index), closer * most_accesses, stop);
    }
    std::ranges::stable_sort(seen, {}, &SimulatedElement::ns);
    result.fastest = std::move(seen);
    return result;
}

} // namespace texelscope::workbench::tuning
