#include "experiments/searches/judges.hpp"

#include "sim/simulate.hpp"
#include "traces/error.hpp"
#include "traces/launch_source.hpp"

namespace texelscope {

Judge simulator_judge(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
                      const StopToken& stop)
{
    return [&op, &device, &space, stop](std::int64_t index) -> std::optional<Nanoseconds> {
        std::optional<LoopNest> nest;
        try {
            nest = loop_nest(op, space.at(index));
            check_limits(*nest, device);
        } catch (const Error&) {
            return std::nullopt;
        }
        SimulationOptions options = options_for(*nest, device);
        options.timed = true;
        options.miss_kinds = false; // nobody asks, and the time is the same
        return simulate(*make_trace_source(launch_of(*nest)), options, {}, stop).time(options);
    };
}

} // namespace texelscope
