#include "workbench/machines/over_machines.hpp"

#include "base/averages.hpp"
#include "model/statistics/kendall.hpp"
#include "model/statistics/least_deviation.hpp"
#include "workbench/machines/machine_loss.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/machines/prepared_kernel.hpp"
#include "workbench/study/study_request.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace texelscope::workbench::machines {

std::optional<TimeOverMachines> over_machines(const MachineSet& set, std::span<const double> ns,
                                              double constant)
{
    std::vector<std::pair<double, double>> possible; // times and weights
    TimeOverMachines time{.machines = 0};
    for (std::size_t m = 0; m < ns.size(); ++m) {
        if (std::isnan(ns[m])) {
            continue;
        }
        const IdentifiedMachine& machine = set.machines[m];
        time.machines += machine.weight;
        for (const double residual : machine.residuals) {
            possible.emplace_back((ns[m] + constant) * std::exp(residual), machine.weight);
        }
    }
    if (possible.empty()) {
        return std::nullopt;
    }
    time.median_ns = weighted_quantile(possible, 0.5);
    time.low_ns = weighted_quantile(possible, 0.1);
    time.high_ns = weighted_quantile(possible, 0.9);
    return time;
}

std::vector<std::vector<double>> by_kernel(const std::vector<std::vector<double>>& by_machine)
{
    std::vector<std::vector<double>> times(by_machine.empty() ? 0 : by_machine.front().size());
    for (const std::vector<double>& machine : by_machine) {
        for (std::size_t kernel = 0; kernel < times.size(); ++kernel) {
            times[kernel].push_back(machine[kernel]);
        }
    }
    return times;
}

std::vector<std::vector<double>> times_on_machines(const MachineSet& set,
                                                   const DeviceProfile& device, const Operator& op,
                                                   const std::vector<Schedule>& schedules,
                                                   int threads, const StopToken& stop)
{
    std::vector<MeasuredKernel> kernels;
    for (const Schedule& schedule : schedules) {
        kernels.push_back({.op = op, .schedule = schedule, .ns = 1, .task = to_string(op)});
    }
    KernelPrices prices(kernels, device, threads, stop);
    return by_kernel(prices.ns(priced_machines(set, device), stop));
}

std::vector<ChoiceOverMachines> choices_over_machines(const MachineSet& set,
                                                      const std::vector<std::vector<double>>& ns)
{
    std::vector<ChoiceOverMachines> choices(ns.size());
    std::vector<std::vector<std::pair<double, double>>> losses(ns.size()); // and weights
    for (std::size_t m = 0; m < set.machines.size(); ++m) {
        const double weight = set.machines[m].weight;
        double best = std::numeric_limits<double>::infinity();
        double worst = 0;
        for (const std::vector<double>& kernel : ns) {
            if (!std::isnan(kernel[m])) {
                best = std::min(best, kernel[m]);
                worst = std::max(worst, kernel[m]);
            }
        }
        if (worst == 0) {
            continue; // it runs none of them
        }
        for (std::size_t k = 0; k < ns.size(); ++k) {
            const double loss = (std::isnan(ns[k][m]) ? worst : ns[k][m]) / best - 1;
            constexpr double near = 0.05;
            choices[k].first += loss == 0 ? weight : 0;
            choices[k].near_best += loss <= near ? weight : 0;
            choices[k].mean_loss += loss * weight;
            losses[k].emplace_back(loss, weight);
        }
    }
    for (std::size_t k = 0; k < ns.size(); ++k) {
        choices[k].worst_loss = weighted_quantile(std::move(losses[k]), 0.9);
    }
    return choices;
}

std::vector<KernelOverMachines>
kernels_over_machines(const MachineSet& set, const DeviceProfile& device, const Operator& op,
                      const std::vector<Schedule>& schedules, int threads, const StopToken& stop)
{
    const auto ns = times_on_machines(set, device, op, schedules, threads, stop);
    const std::vector<ChoiceOverMachines> choices = choices_over_machines(set, ns);
    std::vector<KernelOverMachines> kernels;
    for (std::size_t k = 0; k < ns.size(); ++k) {
        kernels.push_back({over_machines(set, ns[k]), choices[k]});
    }
    return kernels;
}

std::optional<TimeOverMachines> time_over_machines(const StudyRequest& request, int threads,
                                                   const StopToken& stop)
{
    const std::optional<MachineSet> set = machines_of(request.device);
    if (!set) {
        return std::nullopt;
    }
    return kernels_over_machines(*set, request.device, request.op, {request.schedule}, threads,
                                 stop)
        .front()
        .time;
}

double coverage(const MachineSet& set, const DeviceProfile& device,
                const std::vector<MeasuredKernel>& kernels, int threads, const StopToken& stop)
{
    KernelPrices prices(kernels, device, threads, stop);
    const std::vector<PricedMachine> machines = priced_machines(set, device);
    const auto by_machine = prices.ns(machines, stop);
    const std::vector<double> constants =
        LossFunction(kernels, {})(by_machine.front(), machines.front().device).constants;
    const auto times = by_kernel(by_machine);
    const std::vector<Task> tasks = tasks_of(kernels);
    std::int64_t inside = 0;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        for (const std::size_t kernel : tasks[t].kernels) {
            const auto time = over_machines(set, times[kernel], constants[t]);
            inside += time && time->contains(kernels[kernel].ns) ? 1 : 0;
        }
    }
    return static_cast<double>(inside) / static_cast<double>(kernels.size());
}

Judgement judged(const std::vector<MeasuredKernel>& kernels, std::span<const double> ns,
                 std::span<const std::optional<TimeOverMachines>> intervals)
{
    Judgement all{.least_tau = 1};
    std::vector<double> errors;
    std::vector<double> choices;
    double inside = 0;
    for (const Task& task : tasks_of(kernels)) {
        std::vector<double> predicted;
        std::vector<double> measured;
        for (const std::size_t kernel : task.kernels) {
            if (!std::isnan(ns[kernel])) {
                predicted.push_back(ns[kernel]);
                measured.push_back(kernels[kernel].ns);
                errors.push_back(std::max(predicted.back(), measured.back()) /
                                     std::min(predicted.back(), measured.back()) -
                                 1);
            }
            if (!intervals.empty() && intervals[kernel]) {
                inside += intervals[kernel]->contains(kernels[kernel].ns) ? 1 : 0;
            }
        }
        if (predicted.empty()) {
            continue;
        }
        ++all.tasks;
        all.kernels += static_cast<std::int64_t>(predicted.size());
        const double tau = kendall_tau_b(predicted, measured).value_or(0);
        all.tau += tau;
        all.least_tau = std::min(all.least_tau, tau);
        choices.push_back(regret(predicted, measured) + 1);
    }
    if (all.tasks > 0) {
        all.tau /= static_cast<double>(all.tasks);
        all.error = median(std::move(errors));
        all.choice = geometric_mean(choices);
        all.worst_choice = std::ranges::max(choices);
    }
    if (!intervals.empty() && all.kernels > 0) {
        all.coverage = inside / static_cast<double>(all.kernels);
    }
    return all;
}

} // namespace texelscope::workbench::machines
