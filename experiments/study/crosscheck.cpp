#include "experiments/study/crosscheck.hpp"

#include "base/progress.hpp"
#include "base/random.hpp"
#include "devices/jobs/described_device.hpp"
#include "experiments/study/launch_result.hpp"
#include "model/statistics/kendall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace texelscope::experiments {
namespace {

struct Columns {
    std::vector<double> judge;
    std::vector<double> truth;
};

/// The values of two judges over the rows that both have; a device row counts only where its output was right.
template <class Judge, class Truth>
Columns columns(const std::vector<CrosscheckRow>& rows, const Judge& judge, const Truth& truth)
{
    Columns both;
    for (const CrosscheckRow& row : rows) {
        const std::optional<double> a = judge(row);
        const std::optional<double> b = truth(row);
        if (a && b) {
            both.judge.push_back(*a);
            both.truth.push_back(*b);
        }
    }
    return both;
}

/// What kernels are run on, and what comes out of that.
struct Checked {
    std::vector<std::vector<float>> inputs;
    Reference reference;
};

/// Adds what became of the run.
void measure(CrosscheckRow& row, const CheckedRun& run)
{
    row.reason = run.measurement.reason;
    if (run.measurement.status == Measurement::Status::ok) {
        row.measured = Nanoseconds{run.measurement.median_ns()};
        row.wall_clock = run.measurement.wall_clock;
        row.checked = run.check.passed;
        row.arithmetic = run.measurement.arithmetic;
        if (!row.checked) {
            row.reason = fmt::format("the output is wrong: largest relative error {:.3g}, allowed {:.3g}",
                                     run.check.max_rel, run.check.tolerance);
        }
    }
}

std::optional<double> regret_of(const Columns& both)
{
    return both.judge.size() < 2 ? std::nullopt : std::optional(regret(both.judge, both.truth));
}

} // namespace

std::vector<Schedule> crosscheck_sample(const ConfigurationSpace& space, const Ranking& ranking,
                                        const CrosscheckOptions& options)
{
    const std::size_t count = options.samples;
    std::vector<Schedule> rows;
    std::set<std::string> taken;
    std::set<std::string> kernels;
    if (options.first) {
        rows.push_back(*options.first);
        taken.insert(to_string(*options.first));
    }
    for (const RankedConfiguration& ranked : ranking.best) {
        if (rows.size() >= count / 2) {
            break;
        }
        if (kernels.insert(to_string(kernel_of(ranked.schedule))).second &&
            taken.insert(to_string(ranked.schedule)).second) {
            rows.push_back(ranked.schedule);
        }
    }
    std::mt19937_64 random(options.seed);
    const std::size_t most = std::min(count, static_cast<std::size_t>(space.size()));
    while (rows.size() < most) {
        Schedule schedule =
            space.at(static_cast<std::int64_t>(uniform_below(random, static_cast<std::uint64_t>(space.size()))));
        if (taken.insert(to_string(schedule)).second) {
            rows.push_back(std::move(schedule));
        }
    }
    return rows;
}

CrosscheckResult crosscheck(const Operator& op, const DeviceProfile& profile, const Calibration& model,
                            const OpenClDevice* device, const CrosscheckOptions& options, const Progress& progress,
                            const StopToken& stop)
{
    tell(progress, "ranking", 0, 1);
    const ConfigurationSpace space = configuration_space(op, profile);
    CrosscheckResult result;
    result.variant = options.variant ? VariantChoice{*options.variant, {}} : default_variant(options.calibrated);
    const ModelVariant variant = result.variant.variant;
    result.profile = profile.name;
    if (device != nullptr) {
        result.device = device->info().name;
        result.like_with_like = describes(profile, device->info());
    }
    const Ranking ranking = rank_by_model({op, profile, space, model, variant, stop}, 0);
    const std::vector<Schedule> schedules = crosscheck_sample(space, ranking, options);

    result.space = space.size();
    RunOptions run = options.run;
    run.stop = stop;
    std::map<Storage, Checked> checked; // by what the rows store their numbers in
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        if (stop && stop()) {
            result.interrupted = true;
            break;
        }
        tell(progress, fmt::format("configuration {} of {}", i + 1, schedules.size()), i, schedules.size());
        CrosscheckRow row;
        row.schedule = schedules[i];
        const LoopNest nest = loop_nest(op, row.schedule);
        try {
            row.predicted = predict(op, row.schedule, profile, model, stop).cost(variant).kernel;
            row.simulated = simulated_time(nest, profile, 0, stop);
            if (device != nullptr) {
                const auto [against, is_new] = checked.try_emplace(row.schedule.storage);
                if (is_new) {
                    against->second.inputs = as_stored(random_inputs(op, options.seed), row.schedule.storage);
                    against->second.reference = make_reference(op, against->second.inputs, row.schedule.storage);
                }
                measure(row, run_checked(op, nest, *device, against->second.inputs, against->second.reference, run));
            } else {
                row.reason = "not run";
            }
        } catch (const Interrupted&) {
            result.interrupted = true;
            break;
        }
        result.rows.push_back(std::move(row));
    }

    const auto predicted = [](const CrosscheckRow& row) { return std::optional(row.predicted.value); };
    const auto simulated = [](const CrosscheckRow& row) { return std::optional(row.simulated.value); };
    const auto measured = [](const CrosscheckRow& row) {
        return row.measured && row.checked && row.measured->value > 0 ? std::optional(row.measured->value)
                                                                      : std::nullopt;
    };
    const Columns model_simulator = columns(result.rows, predicted, simulated);
    const Columns model_device = columns(result.rows, predicted, measured);
    const Columns simulator_device = columns(result.rows, simulated, measured);
    result.kendall = {kendall_tau_b(model_simulator.judge, model_simulator.truth),
                      kendall_tau_b(model_device.judge, model_device.truth),
                      kendall_tau_b(simulator_device.judge, simulator_device.truth)};
    result.regret = {regret_of(model_simulator), regret_of(model_device), regret_of(simulator_device)};
    tell(progress, "done", 1, 1);
    return result;
}

std::optional<std::string> unlike_note(const CrosscheckResult& result)
{
    const std::string& profile = result.profile;
    const std::string& device = result.device;
    if (device.empty() || result.like_with_like.value_or(false)) {
        return std::nullopt;
    }
    return result.like_with_like
               ? fmt::format("not like with like: model and simulator describe {}, the device is {}; how they agree "
                             "with it says nothing about {}",
                             profile, device, profile)
               : fmt::format(
                     "whether {} is the device of {} is not known: the profile does not say which device it is of",
                     device, profile);
}

} // namespace texelscope::experiments
