#include "experiments/phones/phone_judges.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/launch/launch_options.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "sim/sampled_time.hpp"
#include "workbench/machines/image_copies.hpp"
#include "workbench/machines/machine_point.hpp"
#include "workbench/study/bottlenecks.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/prediction.hpp"

namespace texelscope::experiments {

using namespace workbench::kernel_logs;

DeviceProfile at_clock(DeviceProfile device, Clock clock)
{
    if (clock == Clock::slow) {
        device.simulation.machine =
            workbench::machines::at_clock(std::move(device.simulation.machine), slow_clock);
    }
    return device;
}

namespace {

std::vector<std::string> traits_of(const LoggedKernel& kernel, const BottleneckCost& cost,
                                   const SimulationOptions& options)
{
    std::vector<std::string> traits{"bound by " + workbench::study::largest_bottleneck(cost).words};
    const KernelCounts& counts = kernel.counts;
    const auto group = static_cast<std::int64_t>(counts.group_size);
    const auto add = [&](bool has, const char* trait) {
        if (has) {
            traits.emplace_back(trait);
        }
    };
    constexpr double many_outputs = 32;
    add(options.kernel.spilled_registers > 0, "registers in memory");
    add(counts.explicit_unroll && counts.unrolled > 1, "loops written out");
    add(kernel.unrolled_less, "more written out than is priced");
    add(group % options.machine.warp_size != 0, "warps that are partly empty");
    add(group < options.machine.warp_size, "groups of less than a warp");
    add(counts.outputs >= many_outputs, "32 outputs of a work-item or more");
    add(cost.waves < 1, "fewer groups than the device holds");
    return traits;
}

} // namespace

PhoneTimes judged(const LoggedKernel& kernel, const DeviceProfile& device,
                  const PhoneJudges& judges, const StopToken& stop)
{
    PhoneTimes times;
    try {
        const Operator op = parse_operator(kernel.op, kernel.shape, kernel.padding);
        const Schedule schedule = parse_schedule(kernel.config);
        const LoopNest nest = loop_nest(op, schedule);
        times.copies_ns = workbench::machines::copies_ns(workbench::machines::image_copies(nest),
                                                         device.simulation.machine.timing);
        const ModelKernel model = bottleneck_kernel(op, schedule, device, stop);
        const ModelKernel::Rounds& rounds = *model.rounds;
        const BottleneckCost cost =
            bottleneck_cost(rounds.stream, rounds.grid, rounds.options, rounds.model);
        times.traits = traits_of(kernel, cost, rounds.options);
        if (judges.model) {
            const Timing& timing = rounds.options.machine.timing;
            times.model_ns = cost.cycles * 1000 / timing.clock_mhz + timing.launch_ns;
        }
        if (judges.simulator) {
            const auto accesses =
                sampled_accesses(launch_of(nest), options_for(nest, device), judges.sample);
            if (accesses > judges.longest) {
                return {.refusal = "too long to simulate"};
            }
            times.simulator_ns = simulated_time(nest, device, judges.sample, stop).value;
        }
    } catch (const Error& error) {
        return {.refusal = error.what()};
    }
    return times;
}

} // namespace texelscope::experiments
