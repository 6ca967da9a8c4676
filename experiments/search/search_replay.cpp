#include "experiments/search/search_replay.hpp"

#include "base/error.hpp"
#include "base/progress.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace texelscope::experiments {
namespace {

struct Kernels {
    Operator op;
    std::vector<Schedule> schedules;
    std::map<std::string, std::optional<Nanoseconds>> times; ///< by the schedule's text
};

MeasuredSpace space_of_kernels(const Kernels& kernels)
{
    MeasuredSpace measured{kernels.op, space_of(kernels.schedules), {}};
    for (std::int64_t i = 0; i < measured.space.size(); ++i) {
        const auto time = kernels.times.at(to_string(measured.space.at(i)));
        measured.times.push_back(time);
        if (time) {
            measured.best = measured.best.value == 0 ? *time : std::min(measured.best, *time);
            measured.worst = std::max(measured.worst, *time);
        }
    }
    if (measured.best.value <= 0) {
        throw bad_input("no kernel ran", to_string(kernels.op));
    }
    return measured;
}

} // namespace

std::vector<MeasuredSpace> measured_spaces(const std::vector<StoredResult>& results)
{
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
    std::vector<Kernels> shapes;
    for (const StoredResult& row : results) {
        const auto [place, is_new] =
            places.try_emplace({row.op, row.shape, row.padding}, shapes.size());
        if (is_new) {
            shapes.push_back({parse_operator(row.op, row.shape, row.padding), {}, {}});
        }
        Kernels& kernels = shapes[place->second];
        const Schedule schedule = parse_schedule(row.config);
        const auto [time, first] = kernels.times.try_emplace(to_string(schedule));
        time->second = row.status == RunStatus::ok ? std::optional(Nanoseconds{row.median_ns()})
                                                   : std::nullopt;
        if (first) {
            kernels.schedules.push_back(schedule);
        }
    }
    std::vector<MeasuredSpace> spaces;
    std::ranges::transform(shapes, std::back_inserter(spaces), space_of_kernels);
    return spaces;
}

FoundAfter replayed(const std::string& strategy, const MeasuredSpace& measured,
                    const DeviceProfile& device, std::int64_t runs, std::uint64_t seed,
                    const MeasuredCorrection* others, const StopToken& stop)
{
    const TimeOf time_of = [&](std::int64_t index) {
        return measured.times[static_cast<std::size_t>(index)];
    };
    const SearchResult search = run_strategy(parse_strategy(strategy), {.op = measured.op,
                                                                        .device = device,
                                                                        .space = measured.space,
                                                                        .time_of = time_of,
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
    found.resize(static_cast<std::size_t>(std::min(runs, measured.space.size())),
                 least / measured.best.value);
    return found;
}

std::optional<std::int64_t> runs_within(const FoundAfter& found, double share)
{
    const auto first = std::ranges::find_if(found, [&](double over) { return over <= 1 + share; });
    return first == found.end() ? std::nullopt : std::optional(first - found.begin() + 1);
}

} // namespace texelscope::experiments
