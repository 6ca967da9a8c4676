#include "experiments/shared/fastest_of_space.hpp"

#include "base/error.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/exhaustive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace texelscope::experiments {
namespace {

/// The part of a space that a real device runs, in the order of the space.
std::set<std::int64_t> part_to_run(const ConfigurationSpace& space, const KernelTimes& times,
                                   const FastestOptions& options)
{
    std::set<std::int64_t> part;
    const Ranking ranking = rank_by_model(
        {times.op(), times.profile(), space, {}, ModelVariant::bottleneck, times.stop()},
        options.first);
    for (const RankedConfiguration& ranked : ranking.best) {
        part.insert(ranked.index);
    }
    // Without others, a choice that the model puts behind its first could not be found wanting.
    std::mt19937_64 random(1);
    const std::size_t wanted = part.size() + options.drawn;
    for (const std::size_t index :
         shuffled_indices(random, static_cast<std::size_t>(space.size()))) {
        if (part.size() >= wanted) {
            break;
        }
        part.insert(static_cast<std::int64_t>(index));
    }
    return part;
}

FastestOfSpace fastest_that_ran(const ConfigurationSpace& space, KernelTimes& times,
                                KernelTimes& closer, const FastestOptions& options,
                                const Progress& progress)
{
    struct Timed {
        std::int64_t index;
        Nanoseconds time;
    };
    const std::set<std::int64_t> part = part_to_run(space, times, options);
    std::vector<Timed> ran;
    std::size_t done = 0;
    for (const std::int64_t index : part) {
        tell(progress, "running", done++, part.size());
        if (const auto time = times.time(space.at(index))) {
            ran.push_back({index, *time});
        }
    }
    std::ranges::stable_sort(ran, {}, &Timed::time);
    ran.resize(std::min(ran.size(), options.again));
    // The fastest of many by one measurement is partly the luckiest, so the first few are measured
    // once more.
    for (Timed& one : ran) {
        one.time = closer.time(space.at(one.index)).value_or(one.time);
    }
    const auto fastest = std::ranges::min_element(ran, {}, &Timed::time);
    if (fastest == ran.end()) {
        throw bad_input("no configuration can run",
                        to_string(times.op()) + " on " + times.device().name());
    }
    return {fastest->index, fastest->time, std::ssize(part)};
}

} // namespace

FastestOfSpace fastest_of_space(const ConfigurationSpace& space, KernelTimes& times,
                                KernelTimes& closer, const FastestOptions& options,
                                const Progress& progress)
{
    if (times.device().real()) {
        return fastest_that_ran(space, times, closer, options, progress);
    }
    const ExhaustiveResult all =
        exhaustive(times.op(), times.profile(), space, times.most_accesses(), options.again,
                   progress, times.stop());
    return {all.fastest.front().index, Nanoseconds{all.fastest.front().ns}, all.simulated};
}

std::string fastest_text(const FastestOptions& options)
{
    return fmt::format("the fastest of the bottleneck model's first {} and of {} others at random, "
                       "each run, the fastest {} of these once more; not of all, since each has to "
                       "be built",
                       options.first, options.drawn, options.again);
}

} // namespace texelscope::experiments
