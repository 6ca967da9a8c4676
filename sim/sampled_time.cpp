#include "sim/sampled_time.hpp"

#include "traces/launch_source.hpp"

#include <algorithm>
#include <vector>

namespace texelscope {
namespace {

/// A loop of a body: the place of each loop on the way to it.
struct LoopPlace {
    std::vector<std::size_t> way;
    std::int64_t extent = 0;
};

void find_longest(const std::vector<Statement>& body, std::vector<std::size_t>& way, LoopPlace& longest)
{
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (const auto* loop = std::get_if<Loop>(&body[i])) {
            way.push_back(i);
            if (loop->extent() > longest.extent) {
                longest = {way, loop->extent()};
            }
            find_longest(loop->body, way, longest);
            way.pop_back();
        }
    }
}

Launch shortened(Launch launch, const LoopPlace& place, std::int64_t extent)
{
    std::vector<Statement>* body = &launch.body;
    for (std::size_t depth = 0; depth + 1 < place.way.size(); ++depth) {
        body = &std::get<Loop>((*body)[place.way[depth]]).body;
    }
    if (!place.way.empty()) {
        std::get<Loop>((*body)[place.way.back()]).variable.range.max = extent - 1;
    }
    return launch;
}

/// The first groups in the order of dispatch, at least that many: whole rows, and whole planes, where there are several.
Launch first_groups(Launch launch, std::int64_t count)
{
    const std::int64_t row = launch.groups[0];
    const std::int64_t plane = row * launch.groups[1];
    const auto cut = [](std::int64_t n, std::int32_t most) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(n, 1, most));
    };
    launch.groups = {cut(count, launch.groups[0]), cut(ceil_div(count, row), launch.groups[1]),
                     cut(ceil_div(count, plane), launch.groups[2])};
    return launch;
}

class Sampling {
public:
    Sampling(const Launch& launch, const SimulationOptions& options, std::int64_t most_accesses, const StopToken& stop)
        : launch_(launch), options_(options), most_accesses_(most_accesses), stop_(stop)
    {
        options_.timed = true;
        const auto source = make_trace_source(launch);
        warps_of_group_ = std::max<std::int64_t>(1, std::ssize(source->warps(0, options.warp_size)));
        std::vector<std::size_t> way;
        find_longest(launch.body, way, loop_);
    }

    SampledTime operator()()
    {
        result_.accesses = accesses(launch_);
        result_.time = Nanoseconds{cycles() * 1000.0 / options_.timing.clock_mhz};
        return result_;
    }

private:
    [[nodiscard]] std::int64_t accesses(const Launch& launch) const
    {
        return launch.group_count() * warps_of_group_ * reads_per_item(launch.body);
    }

    double simulated(const Launch& part)
    {
        result_.simulated_accesses += accesses(part);
        return static_cast<double>(simulate(*make_trace_source(part), options_, {}, stop_).cycles->value);
    }

    double cycles()
    {
        const std::int64_t groups = launch_.group_count();
        const std::int64_t groups_of_core = std::max<std::int64_t>(1, occupancy(options_).warps / warps_of_group_);
        const std::int64_t wave = groups_of_core * options_.cores;
        const std::int64_t waves = ceil_div(groups, wave);
        if (result_.accesses <= most_accesses_) {
            return simulated(launch_);
        }
        // Two waves and a partial one are the fewest of which one can be taken away.
        const bool few = waves <= 2;
        const Launch one = few ? launch_ : first_groups(launch_, wave + groups % wave);
        if (accesses(one) > most_accesses_ && loop_.extent >= 2 * least_turns) {
            return by_turns(one, static_cast<double>(waves) / static_cast<double>(ceil_div(one.group_count(), wave)));
        }
        const double first = simulated(one);
        if (few || one.group_count() == groups) {
            return first;
        }
        const Launch two = first_groups(launch_, one.group_count() + wave);
        const double per_group = (simulated(two) - first) / static_cast<double>(two.group_count() - one.group_count());
        return first + per_group * static_cast<double>(groups - one.group_count());
    }

    /// Of a part with shorter loops, `times` as much.
    double by_turns(const Launch& part, double times)
    {
        const double share = static_cast<double>(most_accesses_) / static_cast<double>(accesses(part));
        const std::int64_t turns = std::clamp(static_cast<std::int64_t>(share * static_cast<double>(loop_.extent)),
                                              2 * least_turns, loop_.extent);
        const std::int64_t half = turns / 2;
        const double longer = simulated(shortened(part, loop_, turns));
        if (turns == loop_.extent) {
            return longer * times;
        }
        const double shorter = simulated(shortened(part, loop_, half));
        const double per_turn = (longer - shorter) / static_cast<double>(turns - half);
        return (longer + per_turn * static_cast<double>(loop_.extent - turns)) * times;
    }

    static constexpr std::int64_t least_turns = 2;

    const Launch& launch_;
    SimulationOptions options_;
    std::int64_t most_accesses_;
    const StopToken& stop_;
    std::int64_t warps_of_group_ = 1; ///< that read something, in the first one
    LoopPlace loop_;
    SampledTime result_;
};

} // namespace

SampledTime sampled_time(const Launch& launch, const SimulationOptions& options, std::int64_t most_accesses,
                         const StopToken& stop)
{
    return Sampling(launch, options, most_accesses, stop)();
}

} // namespace texelscope
