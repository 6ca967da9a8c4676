#include "experiments/tmmodel/model_accuracy.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "experiments/shared/choices.hpp"
#include "experiments/shared/fastest_of_space.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace texelscope::experiments {
// The best configuration is found by simulating everything that a bound on its time does not rule
// out, or by running a part of the space (fastest_of_space()), and each chooser's first is timed
// against it.
namespace {

constexpr std::int64_t sample = 6'000;         ///< warp accesses of each of the many
constexpr std::int64_t close_sample = 300'000; ///< of the choices and the fastest
constexpr FastestOptions of_space{};           ///< of the space, and of "first 512"
constexpr std::int64_t tries = 512;            ///< of "first 512"
constexpr std::size_t drawn = 16;              ///< of those that a chooser holds alike, at most

ChoiceRatios ratios_of(const std::vector<AccuracyCase>& cases)
{
    ChoiceRatios choices(accuracy_choosers());
    for (const auto& one : cases) {
        choices.add(to_string(one.op), one.ratio);
    }
    return choices;
}

ResultTable table_of(const std::vector<AccuracyCase>& cases, const ExperimentDevice& device)
{
    ResultTable table{{"operator", "space", device.real() ? "run" : "simulated", "best", "best_ns"},
                      {}};
    for (std::string& chooser : accuracy_choosers()) {
        table.columns.push_back(std::move(chooser));
    }
    for (const AccuracyCase& one : cases) {
        std::vector<ResultTable::Value> row{to_string(one.op), one.space, one.tried, one.best,
                                            std::round(one.best_ns)};
        for (const double ratio : one.ratio) {
            row.emplace_back(thousandths(ratio));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// A few of the elements, drawn at random (seed 1): a chooser may hold thousands alike.
std::vector<Schedule> some_of(const std::vector<std::int64_t>& elements,
                              const ConfigurationSpace& space)
{
    std::mt19937_64 random(1);
    std::vector<std::size_t> order = shuffled_indices(random, elements.size());
    order.resize(std::min(drawn, order.size()));
    return mapped(order, [&](std::size_t i) { return space.at(elements[i]); });
}

} // namespace

std::vector<std::string> accuracy_choosers()
{
    return chooser_names({"shortlist", fmt::format("first {}", tries)});
}

PanelPlot accuracy_plot(const std::vector<AccuracyCase>& cases, const ExperimentDevice& device)
{
    return choice_plot(ratios_of(cases),
                       fmt::format("Time of each choice over the best, {} operators on {}",
                                   cases.size(), device.name()));
}

// Small shapes: an exhaustive search simulates thousands of configurations of each.
std::vector<Operator> accuracy_operators()
{
    std::vector<Operator> operators;
    for (const auto& [name, shape] :
         {std::pair{"matmul", "64,64,64"}, std::pair{"conv2d", "1,8,8,16,16,3,3,1"},
          std::pair{"conv2d", "1,16,16,8,16,3,3,2"}, std::pair{"deconv2d", "1,8,8,16,16,3,3,1"},
          std::pair{"deconv2d", "1,8,8,8,16,3,3,2"}, std::pair{"conv3d", "1,4,8,8,8,8,3,3,3,1"},
          std::pair{"dwconv2d", "1,16,16,32,3,3,1"}, std::pair{"softmax", "128,128"},
          std::pair{"softmax", "64,512"}, std::pair{"layernorm", "128,128"},
          std::pair{"layernorm", "64,512"}}) {
        operators.push_back(parse_operator(name, shape));
    }
    return operators;
}

AccuracyCase measure_accuracy(const Operator& op, const ExperimentDevice& device,
                              const Calibration& calibration, const Progress& progress,
                              const StopToken& stop)
{
    const ConfigurationSpace space = configuration_space(op, device.profile);
    KernelTimes times(op, device, sample, stop);
    KernelTimes close_times(op, device, close_sample, stop);
    const FastestOfSpace all = fastest_of_space(space, times, close_times, of_space, progress);
    // First what each level and variant of the model puts first, then the two shortlists, which
    // time what they try.
    std::vector<std::vector<Schedule>> chosen =
        mapped(first_of_choosers(op, device.profile, space, calibration, stop),
               [&](const std::vector<std::int64_t>& elements) { return some_of(elements, space); });
    chosen.push_back({timed(shortlisted(space, times), times).choice.schedule});
    chosen.push_back(
        {timed(shortlisted_twice(space, times, close_times, tries, of_space.again), close_times)
             .choice.schedule});

    AccuracyCase result{op, space.size(), all.tried, to_string(space.at(all.index)), all.time.value,
                        {}};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        std::vector<double> ns;
        for (const Schedule& schedule : chosen[i]) {
            const std::optional<Nanoseconds> time = close_times.time(schedule);
            if (!time) { // a real device refuses what the profile allows
                continue;
            }
            ns.push_back(time->value);
            if (ns.back() < result.best_ns) { // a sample had it slower
                result.best_ns = ns.back();
                result.best = to_string(schedule);
            }
        }
        if (ns.empty()) {
            throw bad_input("what the chooser '" + accuracy_choosers()[i] + "' takes cannot run",
                            to_string(op) + " on " + device.name());
        }
        // Times first; they are divided by the best once all choosers were timed.
        result.ratio[i] = geometric_mean(ns);
    }
    for (double& ratio : result.ratio) {
        ratio /= result.best_ns;
    }
    return result;
}

std::vector<Finding> accuracy_findings(const std::vector<AccuracyCase>& cases,
                                       const std::string& judge)
{
    // Their places behind the choosers of model_levels.hpp.
    constexpr std::size_t shortlist = model_choosers.size(), first_many = shortlist + 1;
    // From figure 10: the share of the paper's choices that are the best.
    constexpr double paper_share = 0.941;
    const ChoiceRatios choices = ratios_of(cases);
    std::vector<Finding> findings =
        paper_findings(choices, place_of_variant(ModelVariant::literal),
                       place_of_variant(ModelVariant::bottleneck),
                       "94.1 % on average over four kernels (section 6.4, figure 10)");
    for (Finding& finding : level_findings(choices, "model, probably: D to its exponent does "
                                                    "not tell how much slower a warp "
                                                    "is (fig4)")) {
        findings.push_back(std::move(finding));
    }
    findings.push_back({"with the " + judge +
                            " as judge of the model's first, choices are the best or within 1 % "
                            "of it nearly always",
                        "within around 1 % of exhaustive search (section 6.4, figure 9)",
                        choices.shares(),
                        verdict_of(std::max(choices.share_as_good(shortlist),
                                            choices.share_as_good(first_many)) >= paper_share),
                        "model: only its first kernels are simulated, and the best is often not "
                        "among them"});
    return findings;
}

ExperimentResult run_model_accuracy(const ExperimentDevice& device, const Progress& progress,
                                    const StopToken& stop)
{
    const Calibration calibration = calibrate_profile(device.profile, 1, stop);
    const std::vector<Operator> operators = accuracy_operators();
    std::vector<AccuracyCase> cases;
    LeftOut left_out(device);
    for (std::size_t i = 0; i < operators.size(); ++i) {
        left_out.run([&] {
            cases.push_back(measure_accuracy(
                operators[i], device, calibration,
                part_progress(progress, i, operators.size(), to_string(operators[i])), stop));
        });
    }
    left_out.require(!cases.empty());
    ExperimentResult::Conditions conditions{
        {"device", device.text()},
        {"space", "A, T, W and G, as tune has it"},
        {"best", device.real()
                     ? fastest_text(of_space)
                     : fmt::format("by exhaustive simulation: all that a perfect cache would make "
                                   "quick enough, from samples of {} warp accesses, the first 8 "
                                   "from {}",
                                   sample, close_sample)},
        {"choices", fmt::format("{}; of what a chooser holds alike, the geometric mean of at most "
                                "{}, drawn at random",
                                device.times_text(
                                    fmt::format("simulated from {} warp accesses", close_sample)),
                                drawn)},
        {"levels", "thread: L_t of all inputs together (of A and T); warp: L_w (of A, T and W); "
                   "else L. What a level does "
                   "not look at it holds alike"},
        {"shortlist", "the bottleneck model's first 64, each " +
                          (device.real() ? std::string("run")
                                         : fmt::format("simulated from {} warp accesses", sample))},
        {"first 512",
         device.real()
             ? fmt::format("the bottleneck model's first {}, each run, and its first {} again",
                           tries, of_space.again)
             : fmt::format("the bottleneck model's first {}, each simulated from {} warp accesses, "
                           "and its first {} again from {}",
                           tries, sample, of_space.again, close_sample)},
    };
    add_left_out(conditions, left_out.reasons());
    return {std::move(conditions), table_of(cases, device),
            decided_on(device, accuracy_findings(cases, device.real() ? "device" : "simulator")),
            accuracy_plot(cases, device)};
}

} // namespace texelscope::experiments
