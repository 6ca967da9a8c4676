#include "sim/sampled_time.hpp"

#include "sim/options/occupancy.hpp"
#include "sim/simulate.hpp"
#include "sim/simulate_next.hpp"
#include "sim/timed/timed.hpp"
#include "traces/launch.hpp"
#include "traces/launch_source.hpp"

#include <algorithm>

namespace texelscope::sim {
namespace {

class Sampling {
public:
    Sampling(const Launch& launch, const SimulationOptions& options, std::int64_t most_accesses,
             const StopToken& stop, const SequenceMemory* before)
        : launch_(launch), options_(options), most_accesses_(most_accesses), stop_(stop),
          before_(before), iterations_(longest_loop(launch))
    {
        options_.mode.timed = true;
        const auto source = make_trace_source(launch);
        const Machine& machine = options.machine;
        const auto warm = warm_level(*source, options);
        const bool apart = warm && machine.levels()[*warm] == machine.shared_level();
        if (before == nullptr && machine.dispatch == Dispatch::round_robin &&
            !options.mode.simulated_cores && machine.cores > few_cores && apart) {
            options_.mode.simulated_cores =
                few_cores; // no core has anything of what others bring into L2
        }
        warps_of_group_ =
            std::max<std::int64_t>(1, std::ssize(source->warps(0, options.machine.warp_size)));
    }

    /// The number of accesses that would be simulated; simulates nothing.
    [[nodiscard]] std::int64_t count()
    {
        counting_ = true;
        (void)cycles();
        return result_.simulated_accesses;
    }

    SampledTime operator()()
    {
        result_.accesses = accesses(launch_);
        result_.time = Nanoseconds{cycles() * 1000.0 / options_.machine.timing.clock_mhz +
                                   options_.machine.timing.launch_ns};
        return result_;
    }

private:
    [[nodiscard]] std::int64_t accesses(const Launch& launch) const
    {
        return launch.group_count() * warps_of_group_ * reads_per_item(launch.body);
    }
    /// Accesses of a launch that fall to the cores that are simulated.
    [[nodiscard]] std::int64_t accesses_to_simulate(const Launch& launch) const
    {
        const std::int64_t all = accesses(launch);
        const int cores = options_.mode.simulated_cores.value_or(options_.machine.cores);
        return ceil_div(all * cores, options_.machine.cores);
    }

    [[nodiscard]] Launch first_groups(std::int64_t count) const
    {
        Launch part = launch_;
        part.first_groups = count;
        return part;
    }

    double simulated(const Launch& part)
    {
        result_.simulated_accesses += accesses_to_simulate(part);
        if (counting_) {
            return 0;
        }
        const SimulationResult simulated = result_of(part);
        result_.stalls.clear();
        for (const CoreResult& core : simulated.cores) {
            result_.stalls.push_back(core.stalls);
        }
        return static_cast<double>(simulated.cycles->value);
    }

    [[nodiscard]] SimulationResult result_of(const Launch& part) const
    {
        const auto source = make_trace_source(part);
        if (before_ == nullptr) {
            return simulate(*source, options_, {}, stop_);
        }
        SequenceMemory memory = *before_;
        return simulate_next(*source, options_, memory, stop_);
    }

    double cycles()
    {
        const std::int64_t groups = launch_.group_count();
        const std::int64_t groups_of_core =
            std::max<std::int64_t>(1, occupancy(options_).warps / warps_of_group_);
        const std::int64_t wave = groups_of_core * options_.machine.cores;
        const std::int64_t waves = ceil_div(groups, wave);
        if (accesses_to_simulate(launch_) <= most_accesses_) {
            return simulated(launch_);
        }
        // Leaving a wave out pays off only for at least two whole waves and a partial one.
        const bool few = waves <= 2;
        const Launch one = few ? launch_ : first_groups(wave + groups % wave);
        if (accesses_to_simulate(one) > most_accesses_ && iterations_ >= 2 * least_iterations) {
            return by_iterations(few ? groups : wave);
        }
        const double first = simulated(one);
        if (few || one.group_count() == groups) {
            return first;
        }
        const Launch two = first_groups(one.group_count() + wave);
        const double per_group =
            (simulated(two) - first) / static_cast<double>(two.group_count() - one.group_count());
        return first + per_group * static_cast<double>(groups - one.group_count());
    }

    /// Cycles of the launch in parts of so many work-groups, and of what is left over.
    double by_iterations(std::int64_t groups)
    {
        const std::int64_t all = launch_.group_count();
        const std::int64_t left = all % groups;
        const double share = static_cast<double>(most_accesses_) /
                             static_cast<double>(accesses_to_simulate(first_groups(groups + left)));
        const std::int64_t iterations =
            std::clamp(static_cast<std::int64_t>(share * static_cast<double>(iterations_)),
                       2 * least_iterations, iterations_);
        const std::int64_t whole = all / groups;
        return static_cast<double>(whole) * cycles(first_groups(groups), iterations) +
               (left > 0 ? cycles(first_groups(left), iterations) : 0);
    }

    /// Cycles of a part, extrapolated from simulations with so many iterations of the longest loop.
    /// The cycles of one iteration come from launches that have nothing but the loop. What comes
    /// after the loop may take longer than a few iterations, and not the same time with each number
    /// of iterations, so it would blur the difference.
    double cycles(const Launch& part, std::int64_t iterations)
    {
        if (iterations == iterations_) {
            return simulated(part);
        }
        const std::int64_t half = iterations / 2;
        const Launch loop = with_longest_loop_alone(part);
        const double shorter = simulated(with_longest_loop(loop, half));
        const bool alone = reads_per_item(loop.body) == reads_per_item(part.body);
        const double loop_longer = alone ? 0 : simulated(with_longest_loop(loop, iterations));
        const double longer = simulated(with_longest_loop(part, iterations));
        const double per_iteration =
            ((alone ? longer : loop_longer) - shorter) / static_cast<double>(iterations - half);
        return longer + per_iteration * static_cast<double>(iterations_ - iterations);
    }

    static constexpr std::int64_t least_iterations = 4;
    static constexpr int few_cores = 4;

    const Launch& launch_;
    SimulationOptions options_;
    std::int64_t most_accesses_;
    const StopToken& stop_;
    const SequenceMemory* before_;
    std::int64_t warps_of_group_ = 1; ///< warps that read something, in the first work-group
    std::int64_t iterations_;         ///< iterations of the longest loop
    SampledTime result_;
    bool counting_ = false;
};

} // namespace

SampledTime sampled_time(const Launch& launch, const SimulationOptions& options,
                         std::int64_t most_accesses, const StopToken& stop,
                         const SequenceMemory* before)
{
    return Sampling(launch, options, most_accesses, stop, before)();
}

std::int64_t sampled_accesses(const Launch& launch, const SimulationOptions& options,
                              std::int64_t most_accesses)
{
    return Sampling(launch, options, most_accesses, {}, nullptr).count();
}

} // namespace texelscope::sim
