#include "experiments/phones/measured_phones.hpp"

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "model/statistics/least_deviation.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/machines/over_machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace texelscope::experiments {
namespace {

using namespace workbench::kernel_logs;

/// One kernel to be judged.
struct PhoneJob {
    const MeasuredTask* task = nullptr;
    const MeasuredRow* kernel = nullptr;
    const DeviceProfile* device = nullptr;
};

/// Profiles by name and clock, each made once.
class PhoneDevices {
public:
    explicit PhoneDevices(const PhoneOptions& options) : options_(options) {}
    /// Null where there is no such profile.
    const DeviceProfile* at(const std::string& name, Clock clock)
    {
        const auto [found, fresh] = devices_.try_emplace({name, clock});
        if (fresh && options_.profile && !name.empty()) {
            if (auto profile = options_.profile(name)) {
                found->second = at_clock(std::move(*profile), clock);
            }
        }
        return found->second ? &*found->second : nullptr;
    }

private:
    const PhoneOptions& options_;
    std::map<std::pair<std::string, Clock>, std::optional<DeviceProfile>> devices_;
};

std::string no_device(const std::string& name)
{
    return name.empty() ? "the log names no device (--device names one)"
                        : "there is no profile of " + name;
}

/// Kernels of a task, drawn with the seed.
std::vector<const MeasuredRow*> drawn(const MeasuredTask& task, const PhoneOptions& options)
{
    std::mt19937_64 random(options.seed);
    std::vector<const MeasuredRow*> kernels;
    for (const std::size_t i : shuffled_indices(random, task.kernels.size())) {
        if (options.rows == 0 || kernels.size() < options.rows) {
            kernels.push_back(&task.kernels[i]);
        }
    }
    return kernels;
}

/// A refusal without the configuration that it is about, so that alike ones count together.
std::string reason_of(const std::string& refusal)
{
    const std::size_t where = refusal.rfind(": ");
    const std::string what = where == std::string::npos ? refusal : refusal.substr(where + 2);
    return "not judged: " + what.substr(0, what.find("; "));
}

std::string operator_of(const MeasuredTask& task)
{
    return fmt::format("{} {}", task.op, task.shape);
}

/// The share of the kernels whose times lie inside of the 80 % interval of the device's machines,
/// with the copies as one constant of the task. Nothing where it has none.
std::optional<double> coverage_of(const std::vector<const MeasuredRow*>& rows,
                                  const DeviceProfile& device, Clock clock, int threads,
                                  const StopToken& stop)
{
    namespace machines = workbench::machines;
    const std::optional<machines::MachineSet> set = machines::machines_of(device);
    if (!set) {
        return std::nullopt;
    }
    std::vector<machines::MeasuredKernel> kernels;
    for (const MeasuredRow* const row : rows) {
        const LoggedKernel& kernel = row->kernel;
        kernels.push_back({.op = parse_operator(kernel.op, kernel.shape, kernel.padding),
                           .schedule = parse_schedule(kernel.config),
                           .ns = row->ns,
                           .task = "one",
                           .copies = machines::CopiesIn::constant,
                           .clock = clock == Clock::slow ? slow_clock : 1});
    }
    return machines::coverage(*set, device, kernels, threads, stop);
}

/// The task from its jobs [first, end), whose answers are all there.
PhoneTask judged_task(const std::vector<PhoneJob>& jobs, const std::vector<PhoneTimes>& times,
                      std::size_t first, std::size_t end, const PhoneOptions& options,
                      PhoneDevices& devices, MeasuredPhones& out, const StopToken& stop)
{
    const MeasuredTask& task = *jobs[first].task;
    std::vector<double> measured, model, simulator;
    std::vector<KernelCounts> counts;
    std::vector<std::vector<std::string>> traits;
    std::vector<const MeasuredRow*> kernels;
    for (std::size_t i = first; i < end; ++i) {
        if (!times[i].refusal.empty()) {
            ++out.left_out[reason_of(times[i].refusal)];
            continue;
        }
        measured.push_back(jobs[i].kernel->ns);
        model.push_back(times[i].model_ns);
        simulator.push_back(times[i].simulator_ns);
        counts.push_back(jobs[i].kernel->kernel.counts);
        traits.push_back(times[i].traits);
        kernels.push_back(jobs[i].kernel);
    }
    PhoneTask judged{task.device,
                     task.name,
                     operator_of(task),
                     task.dtype,
                     task.clock,
                     std::ssize(task.kernels),
                     std::ssize(measured),
                     {},
                     {},
                     {},
                     {},
                     {},
                     {},
                     {}};
    if (measured.size() < task.fewest) {
        return judged;
    }
    for (const double ns : measured) {
        judged.points.push_back({ns, 0, 0});
    }
    const auto add_points = [&](const std::vector<double>& ns, double PhoneTask::Point::*of) {
        const double copies = added_constant(ns, measured);
        std::vector<double> with_copies;
        for (std::size_t i = 0; i < ns.size(); ++i) {
            with_copies.push_back(ns[i] + copies);
            judged.points[i].*of = with_copies.back();
        }
        return with_copies;
    };
    if (options.judges.model) {
        judged.model = agreement_of_times(model, measured);
        judged.model_residuals =
            residuals_by_trait(traits, add_points(model, &PhoneTask::Point::model), measured);
        judged.coverage = coverage_of(kernels, *devices.at(task.device, Clock::fast), task.clock,
                                      threads_or_all(options.threads), stop);
    }
    if (options.judges.simulator) {
        judged.simulator = agreement_of_times(simulator, measured);
        judged.simulator_residuals = residuals_by_trait(
            traits, add_points(simulator, &PhoneTask::Point::simulator), measured);
    }
    judged.baselines = phone_baselines(counts, measured, options.seed);
    return judged;
}

/// One judge on the layers of one device.
PhoneRatios ratios_of(const std::string& device, const std::string& judge,
                      std::vector<double> ratios)
{
    std::ranges::sort(ratios);
    const auto at = [&](double share) {
        return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1) +
                                               0.5)];
    };
    const auto within =
        std::ranges::count_if(ratios, [](double ratio) { return ratio >= 0.5 && ratio <= 2; });
    return {device,
            judge,
            std::ssize(ratios),
            at(0.1),
            at(0.5),
            at(0.9),
            static_cast<double>(within) / static_cast<double>(ratios.size())};
}

std::vector<PhoneRatios> all_ratios(const std::vector<PhoneLayer>& layers)
{
    std::set<std::string> devices;
    for (const PhoneLayer& layer : layers) {
        devices.insert(layer.device);
    }
    std::vector<PhoneRatios> all;
    for (const std::string& device : devices) {
        for (const auto& [judge, time] : {std::pair{"model", &PhoneTimes::model_ns},
                                          std::pair{"simulator", &PhoneTimes::simulator_ns}}) {
            std::vector<double> ratios;
            for (const PhoneLayer& layer : layers) {
                if (layer.device == device && layer.judged.*time > 0) {
                    ratios.push_back((layer.judged.*time + layer.judged.copies_ns) /
                                     layer.measured_ns);
                }
            }
            if (!ratios.empty()) {
                all.push_back(ratios_of(device, judge, std::move(ratios)));
            }
        }
    }
    return all;
}

} // namespace

MeasuredPhones measured_phones(const MeasuredTasks& tasks, const PhoneOptions& options,
                               const Progress& progress, const StopToken& stop)
{
    MeasuredPhones out;
    out.lines = tasks.rows;
    out.left_out = tasks.left_out;
    PhoneDevices devices(options);
    std::vector<PhoneJob> jobs;
    std::vector<std::size_t> starts; // of each history's jobs
    for (const MeasuredTask& task : tasks.histories) {
        const DeviceProfile* const device = devices.at(task.device, task.clock);
        if (device == nullptr || task.kernels.size() < task.fewest) {
            out.left_out[device == nullptr ? no_device(task.device)
                                           : "tasks with too few kernels"] +=
                std::ssize(task.kernels);
            continue;
        }
        starts.push_back(jobs.size());
        for (const MeasuredRow* const kernel : drawn(task, options)) {
            jobs.push_back({&task, kernel, device});
        }
    }
    const std::size_t layers_from = jobs.size();
    for (const MeasuredTask& task : tasks.layers) {
        const DeviceProfile* const device = devices.at(task.device, Clock::fast);
        if (device == nullptr) {
            out.left_out[no_device(task.device)] += std::ssize(task.kernels);
            continue;
        }
        for (const MeasuredRow& kernel : task.kernels) {
            jobs.push_back({&task, &kernel, device});
        }
    }
    std::vector<PhoneTimes> times(jobs.size());
    parallel_for(
        jobs.size(), threads_or_all(options.threads),
        [&](std::size_t i) {
            times[i] = judged(jobs[i].kernel->kernel, *jobs[i].device, options.judges, stop);
        },
        stop,
        [&](std::size_t done) { tell(progress, "kernels measured on phones", done, jobs.size()); });
    for (std::size_t t = 0; t < starts.size(); ++t) {
        const std::size_t end = t + 1 < starts.size() ? starts[t + 1] : layers_from;
        out.tasks.push_back(judged_task(jobs, times, starts[t], end, options, devices, out, stop));
    }
    for (std::size_t i = layers_from; i < jobs.size(); ++i) {
        if (!times[i].refusal.empty()) {
            ++out.left_out[reason_of(times[i].refusal)];
            continue;
        }
        const MeasuredTask& task = *jobs[i].task;
        out.layers.push_back(
            {task.device, task.name, operator_of(task), task.dtype, jobs[i].kernel->ns, times[i]});
    }
    out.ratios = all_ratios(out.layers);
    return out;
}

} // namespace texelscope::experiments
