#include "experiments/phones/phone_judges.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/launch/launch_options.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "sim/sampled_time.hpp"
#include "workbench/machines/image_copies.hpp"
#include "workbench/machines/machine_point.hpp"
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
        if (judges.model) {
            const ModelKernel model = bottleneck_kernel(op, schedule, device, stop);
            const ModelKernel::Rounds& rounds = *model.rounds;
            const BottleneckCost cost =
                bottleneck_cost(rounds.stream, rounds.grid, rounds.options, rounds.model);
            const Timing& timing = rounds.options.machine.timing;
            times.model_ns = cost.cycles * 1000 / timing.clock_mhz + timing.launch_ns;
        }
        if (judges.simulator) {
            const auto accesses =
                sampled_accesses(launch_of(nest), options_for(nest, device), judges.sample);
            if (accesses > judges.longest) {
                return {0, 0, 0, "too long to simulate"};
            }
            times.simulator_ns = simulated_time(nest, device, judges.sample, stop).value;
        }
    } catch (const Error& error) {
        return {0, 0, 0, error.what()};
    }
    return times;
}

} // namespace texelscope::experiments
