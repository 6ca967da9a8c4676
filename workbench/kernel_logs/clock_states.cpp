#include "workbench/kernel_logs/clock_states.hpp"

#include "workbench/kernel_logs/kernel_features.hpp"
#include "workbench/kernel_logs/two_state_chain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace texelscope::workbench::kernel_logs {
namespace {

constexpr std::size_t fewest_kernels = 30;
constexpr double sure = 0.95;
const double least_repeat = std::log(1.7), most_repeat = std::log(3.6);

/// Kernels of one task, by place, in the order of their timestamps.
using TaskKernels = std::vector<std::size_t>;

std::map<std::size_t, TaskKernels> timed_by_task(const std::vector<TimedKernel>& kernels)
{
    std::map<std::size_t, TaskKernels> tasks;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (kernels[i].timestamp > 0) {
            tasks[kernels[i].task].push_back(i);
        }
    }
    for (auto& [task, places] : tasks) {
        std::ranges::stable_sort(places, {}, [&](std::size_t i) { return kernels[i].timestamp; });
    }
    return tasks;
}

/// What repeats say: odds of e^4 for each pair that differs by a clock.
Eigen::VectorXd odds_of_repeats(const std::vector<TimedKernel>& kernels, const TaskKernels& task)
{
    constexpr double odds = 4;
    Eigen::VectorXd log_odds = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(task.size()));
    std::map<std::string, std::vector<std::size_t>> alike; // places within the task
    for (std::size_t i = 0; i < task.size(); ++i) {
        alike[kernels[task[i]].configuration].push_back(i);
    }
    for (const auto& [configuration, places] : alike) {
        for (const std::size_t a : places) {
            for (const std::size_t b : places) {
                const double longer = std::log(kernels[task[a]].ns / kernels[task[b]].ns);
                if (longer >= least_repeat && longer <= most_repeat) {
                    log_odds[static_cast<Eigen::Index>(a)] += odds;
                    log_odds[static_cast<Eigen::Index>(b)] -= odds;
                }
            }
        }
    }
    return log_odds;
}

/// Whether a task has two clocks is asked without repeats, which differ for other reasons, too.
ChainFit chain_of(const std::vector<TimedKernel>& kernels, const TaskKernels& task)
{
    std::vector<KernelCounts> counts;
    std::vector<double> timestamps;
    ChainSamples samples;
    samples.log_time.resize(static_cast<Eigen::Index>(task.size()));
    for (std::size_t i = 0; i < task.size(); ++i) {
        const TimedKernel& kernel = kernels[task[i]];
        counts.push_back(kernel.counts);
        timestamps.push_back(kernel.timestamp);
        samples.log_time[static_cast<Eigen::Index>(i)] = std::log(kernel.ns);
    }
    samples.features = kernel_features(counts);
    samples.begins = session_starts(timestamps);
    samples.log_odds = Eigen::VectorXd::Zero(samples.log_time.size());
    ChainFit fit = fit_chain(samples);
    if (fit.two_clocks()) {
        samples.log_odds = odds_of_repeats(kernels, task);
        fit.slow = fit_chain(samples).slow;
    }
    return fit;
}

/// Clocks of a shader processor that reads or arithmetic take, whichever takes longer, at the rates
/// of the best 1x1 and direct convolutions among AutoTVM's public logs of an Adreno 660, 730 and
/// 740: 7 reads of 16 bytes or 12 of 8, and 100 multiply-adds, of which 1.4 times as many in
/// float16.
double ideal_clocks(const KernelCounts& counts)
{
    const double reads = counts.reads() / (counts.bytes_per_texel > 8 ? 7 : 12);
    return std::max(reads, counts.multiply_adds / (counts.half_sums ? 140 : 100));
}

/// How much longer the fastest fifth takes than that, as a logarithm in a unit that does not
/// matter.
std::optional<double> level_of(const std::vector<TimedKernel>& kernels, const TaskKernels& task,
                               const std::vector<Clock>& clocks, std::optional<Clock> at)
{
    std::vector<double> levels;
    for (const std::size_t i : task) {
        const KernelCounts& counts = kernels[i].counts;
        if (!at || clocks[i] == *at) {
            levels.push_back(std::log(kernels[i].ns / ideal_clocks(counts)));
        }
    }
    if (levels.empty()) {
        return std::nullopt;
    }
    const auto fifth = std::ssize(levels) / 5;
    std::ranges::nth_element(levels, levels.begin() + fifth);
    return levels[static_cast<std::size_t>(fifth)];
}

double middle_of(std::vector<double> values)
{
    std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
    return values[values.size() / 2];
}

} // namespace

std::string to_string(Clock clock)
{
    return clock == Clock::fast ? "fast" : clock == Clock::slow ? "slow" : "unknown";
}

std::vector<std::size_t> session_starts(std::span<const double> timestamps, double gap)
{
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < timestamps.size(); ++i) {
        if (i == 0 || timestamps[i] - timestamps[i - 1] > gap) {
            starts.push_back(i);
        }
    }
    return starts;
}

std::vector<Clock> clocks_of(const std::vector<TimedKernel>& kernels)
{
    std::vector<Clock> clocks(kernels.size(), Clock::fast);
    std::vector<TaskKernels> at_one_clock;
    std::vector<double> fast_levels, shifts;
    for (const auto& [task, places] : timed_by_task(kernels)) {
        if (places.size() < fewest_kernels) {
            continue;
        }
        const ChainFit fit = chain_of(kernels, places);
        if (!fit.two_clocks()) {
            at_one_clock.push_back(places);
            continue;
        }
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double slow = fit.slow[static_cast<Eigen::Index>(i)];
            clocks[places[i]] = slow >= sure       ? Clock::slow
                                : slow <= 1 - sure ? Clock::fast
                                                   : Clock::unknown;
        }
        shifts.push_back(fit.shift);
        if (const auto level = level_of(kernels, places, clocks, Clock::fast)) {
            fast_levels.push_back(*level);
        }
    }
    if (fast_levels.empty()) {
        return clocks;
    }
    const double fast = middle_of(fast_levels), shift = middle_of(shifts);
    for (const TaskKernels& task : at_one_clock) {
        // How far from the fast clock's level to the slow one's.
        const double way = (level_of(kernels, task, clocks, std::nullopt).value() - fast) / shift;
        const Clock clock = way <= 0.5 ? Clock::fast : Clock::slow;
        for (const std::size_t i : task) {
            clocks[i] = clock;
        }
    }
    return clocks;
}

} // namespace texelscope::workbench::kernel_logs
