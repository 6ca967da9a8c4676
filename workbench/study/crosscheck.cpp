#include "workbench/study/crosscheck.hpp"

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/jobs/described_device.hpp"
#include "model/statistics/kendall.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/launch_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace texelscope::workbench::study {
namespace {

/// Times of two judges, one pair for each row that has a right time of both.
struct Columns {
    std::vector<double> judge;
    std::vector<double> truth;
};

Columns columns(std::span<const CrosscheckRow> rows, Judge judge, Judge truth)
{
    Columns both;
    for (const CrosscheckRow& row : rows) {
        const std::optional<Nanoseconds> a = row.right_time(judge);
        const std::optional<Nanoseconds> b = row.right_time(truth);
        if (a && b) {
            both.judge.push_back(a->value);
            both.truth.push_back(b->value);
        }
    }
    return both;
}

/// Where the device is the truth: of the rows that it ran, in the judge's order.
std::optional<double> regret_on_device(std::span<const CrosscheckRow> rows, Judge judge)
{
    std::vector<double> times;
    for (const std::size_t row : order_by(rows, judge)) {
        if (const auto time = rows[row].right_time(Judge::device)) {
            times.push_back(time->value);
        }
    }
    return times.size() < 2 ? std::nullopt
                            : std::optional(times.front() / *std::ranges::min_element(times) - 1);
}

void judge_the_judges(CrosscheckResult& result)
{
    for (JudgePair& pair : result.pairs) {
        const Columns both = columns(result.rows, pair.judge, pair.truth);
        pair.kendall = kendall_tau_b(both.judge, both.truth);
        if (pair.truth == Judge::device) {
            pair.regret = regret_on_device(result.rows, pair.judge);
        } else if (both.judge.size() >= 2) {
            pair.regret = regret(both.judge, both.truth);
        }
    }
}

CrosscheckResult without_rows(const DeviceProfile& profile, const CrosscheckOptions& options)
{
    CrosscheckResult result;
    result.variant = options.model_variant();
    result.profile = profile.name;
    return result;
}

/// Inputs of the kernels that are run, and the reference of their outputs.
struct Checked {
    std::vector<std::vector<float>> inputs;
    Reference reference;
};

/// Fills in the device's side of a row from its run.
void measure(CrosscheckRow& row, const CheckedRun& run)
{
    row.reason = run.measurement.reason;
    if (run.measurement.status == RunStatus::ok) {
        row.measured = Nanoseconds{run.measurement.median_ns()};
        row.wall_clock = run.measurement.wall_clock;
        row.checked = run.check.passed;
        row.arithmetic = run.measurement.arithmetic;
        if (!row.checked) {
            row.reason =
                fmt::format("the output is wrong: largest relative error {:.3g}, allowed {:.3g}",
                            run.check.max_rel, run.check.tolerance);
        }
    }
}

} // namespace

std::optional<Nanoseconds> CrosscheckRow::time(Judge judge) const
{
    switch (judge) {
    case Judge::model:
        return predicted;
    case Judge::simulator:
        return simulated;
    case Judge::device:
        return measured;
    }
    return std::nullopt;
}

std::optional<Nanoseconds> CrosscheckRow::right_time(Judge judge) const
{
    const std::optional<Nanoseconds> any = time(judge);
    return any && any->value > 0 && (judge != Judge::device || checked) ? any : std::nullopt;
}

std::vector<std::size_t> order_by(std::span<const CrosscheckRow> rows, Judge judge)
{
    const Judge next = judge == Judge::model ? Judge::simulator : Judge::model;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].right_time(judge)) {
            order.push_back(i);
        }
    }
    const auto time = [&](std::size_t row) { return rows[row].right_time(judge)->value; };
    std::ranges::stable_sort(order, {}, time);
    // Runs of equal times: each is put in the order of the other judge.
    for (std::size_t first = 0; first < order.size();) {
        const std::size_t end =
            end_of_same(first, order.size(), [&](std::size_t place) { return time(order[place]); });
        std::ranges::stable_sort(std::span(order).subspan(first, end - first), {},
                                 [&](std::size_t row) { return rows[row].time(next)->value; });
        first = end;
    }
    return order;
}

std::vector<Schedule> crosscheck_sample(const ConfigurationSpace& space, const Ranking& ranking,
                                        const CrosscheckOptions& options)
{
    const std::size_t count = options.samples;
    std::vector<Schedule> rows;
    std::set<std::string> taken;
    std::set<std::string> kernels;
    for (const Schedule& schedule : options.first) {
        if (taken.insert(to_string(schedule)).second) {
            rows.push_back(schedule);
        }
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
    // A small space may have fewer configurations than the sample wants.
    const std::size_t most = std::min(count, static_cast<std::size_t>(space.size()));
    while (rows.size() < most) {
        Schedule schedule = space.at(static_cast<std::int64_t>(
            uniform_below(random, static_cast<std::uint64_t>(space.size()))));
        if (taken.insert(to_string(schedule)).second) {
            rows.push_back(std::move(schedule));
        }
    }
    return rows;
}

CrosscheckResult crosscheck(const Operator& op, const DeviceProfile& profile,
                            const Calibration& model, const OpenClDevice* device,
                            const CrosscheckOptions& options, const Progress& progress,
                            const StopToken& stop)
{
    tell(progress, "ranking", 0, 1);
    const ConfigurationSpace space = configuration_space(op, profile);
    CrosscheckResult result = without_rows(profile, options);
    const ModelVariant variant = result.variant.variant;
    if (device != nullptr) {
        result.device = device->info().name;
        result.like_with_like = describes(profile, device->info());
    }
    const Ranking ranking = rank_by_model({op, profile, space, model, variant, stop}, 0);
    const std::vector<Schedule> schedules = crosscheck_sample(space, ranking, options);

    result.space = space.size();
    result.wanted =
        static_cast<std::size_t>(std::ranges::count_if(schedules, [&](const Schedule& each) {
            // options.first may name one twice, and the sample has it once
            return std::ranges::find(options.first, each) != options.first.end();
        }));
    RunOptions run = options.run;
    run.stop = stop;
    // One reference for each storage, made when first needed.
    std::map<Storage, Checked> checked;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        if (stop && stop()) {
            result.interrupted = true;
            break;
        }
        tell(progress, fmt::format("configuration {} of {}", i + 1, schedules.size()), i,
             schedules.size());
        CrosscheckRow row;
        row.schedule = schedules[i];
        const LoopNest nest = loop_nest(op, row.schedule);
        try {
            row.predicted = predict(op, row.schedule, profile, model, stop).cost(variant).kernel;
            row.simulated = simulated_time(nest, profile, 0, stop);
            if (device != nullptr) {
                const auto [against, is_new] = checked.try_emplace(row.schedule.storage);
                if (is_new) {
                    against->second.inputs =
                        as_stored(random_inputs(op, options.seed), row.schedule.storage);
                    against->second.reference =
                        make_reference(op, against->second.inputs, row.schedule.storage);
                }
                measure(row, run_checked(op, nest, *device, against->second.inputs,
                                         against->second.reference, run));
            } else {
                row.reason = "not run";
            }
        } catch (const Interrupted&) {
            result.interrupted = true;
            break;
        }
        result.rows.push_back(std::move(row));
    }

    judge_the_judges(result);
    tell(progress, "done", 1, 1);
    return result;
}

CrosscheckResult crosscheck_known(const Operator& op, const DeviceProfile& profile,
                                  const Calibration& model, const KnownRuns& known,
                                  const CrosscheckOptions& options, const Progress& progress,
                                  const StopToken& stop)
{
    if (known.rows.size() < 2) {
        throw bad_input(fmt::format("{} runs of {} on {} are known, two or more are needed",
                                    known.rows.size(), to_string(op), known.device));
    }
    CrosscheckResult result = without_rows(profile, options);
    result.device = known.device;
    result.like_with_like = known.like_with_like;
    result.space = std::ssize(known.rows);
    std::vector<CrosscheckRow> rows = known.rows;
    std::mt19937_64 random(options.seed);
    const std::size_t count = std::min(options.samples, rows.size());
    // The first `count` steps of a Fisher-Yates shuffle.
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(rows[i], rows[i + uniform_below(random, rows.size() - i)]);
        tell(progress, fmt::format("configuration {} of {}", i + 1, count), i, count);
        try {
            rows[i].predicted = predict(op, rows[i].schedule, profile, model, stop)
                                    .cost(result.variant.variant)
                                    .kernel;
            rows[i].simulated = simulated_time(loop_nest(op, rows[i].schedule), profile, 0, stop);
        } catch (const Interrupted&) {
            result.interrupted = true;
            break;
        }
        result.rows.push_back(rows[i]);
    }
    judge_the_judges(result);
    tell(progress, "done", 1, 1);
    return result;
}

std::string rows_text(const CrosscheckResult& result)
{
    const std::size_t rows = result.rows.size();
    const std::string space = count_text(result.space);
    const std::size_t wanted = std::min(result.wanted, rows);
    return wanted == 0
               ? fmt::format("{} of {} configurations", rows, space)
               : fmt::format(
                     "{} configurations: {} given or first over all parts, {} of a space of {}",
                     rows, wanted, rows - wanted, space);
}

std::optional<std::string> unlike_note(const CrosscheckResult& result)
{
    const std::string& profile = result.profile;
    const std::string& device = result.device;
    if (device.empty() || result.like_with_like.value_or(false)) {
        return std::nullopt;
    }
    return result.like_with_like ? fmt::format("not like with like: model and simulator describe "
                                               "{}, the device is {}; how they agree "
                                               "with it says nothing about {}",
                                               profile, device, profile)
                                 : fmt::format("whether {} is the device of {} is not known: the "
                                               "profile does not say which device it is of",
                                               device, profile);
}

} // namespace texelscope::workbench::study
