#include "experiments/search/search_replay.hpp"

#include "base/error.hpp"
#include "base/progress.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/strategy.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace texelscope::experiments {
namespace {

void set_best_and_worst(MeasuredSpace& measured)
{
    for (const auto& time : measured.times) {
        if (time) {
            measured.best = measured.best.value == 0 ? *time : std::min(measured.best, *time);
            measured.worst = std::max(measured.worst, *time);
        }
    }
    if (measured.best.value <= 0) {
        throw bad_input("no kernel ran", to_string(measured.op));
    }
}

} // namespace

std::vector<MeasuredSpace> measured_spaces(const std::vector<StoredResult>& results)
{
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> shapes;
    std::map<std::pair<std::size_t, std::string>, std::size_t> kernels; ///< by shape and text
    std::vector<MeasuredSpace> spaces;
    for (const StoredResult& row : results) {
        const auto [shape, new_shape] =
            shapes.try_emplace({row.op, row.shape, row.padding}, spaces.size());
        if (new_shape) {
            spaces.push_back({parse_operator(row.op, row.shape, row.padding), {}, {}});
        }
        MeasuredSpace& space = spaces[shape->second];
        const Schedule schedule = parse_schedule(row.config);
        const auto [kernel, new_kernel] =
            kernels.try_emplace({shape->second, to_string(schedule)}, space.schedules.size());
        if (new_kernel) {
            space.schedules.push_back(schedule);
            space.times.emplace_back();
        }
        space.times[kernel->second] = row.status == RunStatus::ok
                                          ? std::optional(Nanoseconds{row.median_ns()})
                                          : std::nullopt;
    }
    std::ranges::for_each(spaces, set_best_and_worst);
    return spaces;
}

FoundAfter replayed(const std::string& strategy, const MeasuredSpace& measured,
                    const DeviceProfile& device, std::int64_t runs, std::uint64_t seed,
                    const MeasuredCorrection* others, const StopToken& stop)
{
    const ConfigurationSpace space = space_of(measured.schedules);
    std::map<std::string, std::optional<Nanoseconds>> times;
    for (std::size_t i = 0; i < measured.schedules.size(); ++i) {
        times[to_string(measured.schedules[i])] = measured.times[i];
    }
    const TimeOf time_of = [&](std::int64_t index) { return times.at(to_string(space.at(index))); };
    const SearchResult search = run_strategy(parse_strategy(strategy), {.op = measured.op,
                                                                        .device = device,
                                                                        .space = space,
                                                                        .times_of = time_of,
                                                                        .budget = {.runs = runs},
                                                                        .seed = seed,
                                                                        .stop = stop,
                                                                        .others = others})
                                    .search;
    check_stop(stop);
    FoundAfter found;
    double least = measured.worst.value;
    for (const Trial& trial : search.trials) {
        least = trial.time ? std::min(least, trial.time->value) : least;
        found.push_back(least / measured.best.value);
    }
    found.resize(static_cast<std::size_t>(std::min(runs, space.size())),
                 least / measured.best.value);
    return found;
}

std::optional<std::int64_t> runs_within(const FoundAfter& found, double share)
{
    const auto first = std::ranges::find_if(found, [&](double over) { return over <= 1 + share; });
    return first == found.end() ? std::nullopt : std::optional(first - found.begin() + 1);
}

} // namespace texelscope::experiments
