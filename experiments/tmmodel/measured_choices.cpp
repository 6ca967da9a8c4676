#include "experiments/tmmodel/measured_choices.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "experiments/shared/choices.hpp"
#include "model/statistics/kendall.hpp"
#include "workbench/store/shipped_measurements.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/correction_features.hpp"
#include "workbench/tuning/measured_correction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

namespace texelscope::experiments {
// No kernel is run here: the measurements are committed, and each chooser is asked which of the
// measured kernels it would have taken. Its choice is compared with the fastest of them.
namespace {

constexpr std::size_t corrected = model_choosers.size(), first_few = corrected + 1, few = 8;
constexpr std::size_t folds = 10;

/// Kernels of one operator and shape, as places in the list of all.
using KernelsOfShape = std::vector<std::size_t>;

/// All kernels that ran, with the time that each model chooser predicts.
struct Predicted {
    std::vector<std::string> configs;
    std::vector<CorrectionSample> kernels;
    std::vector<std::array<double, corrected>> ns; ///< by chooser
    std::vector<std::string> names;                ///< of the shapes
    std::vector<KernelsOfShape> shapes;
};

Predicted predicted_of(const std::vector<StoredResult>& results, const DeviceProfile& device,
                       const Progress& progress, const StopToken& stop)
{
    const Calibration calibration = calibrate_profile(device, 1, stop);
    std::map<std::tuple<std::string, std::string, std::string>, std::pair<std::size_t, Operator>>
        known;
    Predicted all;
    for (std::size_t i = 0; i < results.size(); ++i) {
        check_stop(stop);
        // Progress is told now and then; half of the work is the corrections.
        if (i % 100 == 0) {
            tell(progress, "predictions", i, 2 * results.size());
        }
        const StoredResult& result = results[i];
        // What failed, or was wrong, has no time to compare with.
        if (result.status != RunStatus::ok) {
            continue;
        }
        const std::tuple key{result.op, result.shape, result.padding};
        auto found = known.find(key);
        if (found == known.end()) {
            const Operator op = parse_operator(result.op, result.shape, result.padding);
            found = known.emplace(key, std::pair(all.shapes.size(), op)).first;
            all.names.push_back(to_string(op));
            all.shapes.emplace_back();
        }
        // Kernels of one operator, shape and padding are one case.
        const auto& [place, op] = found->second;
        const Schedule schedule = parse_schedule(result.config);
        const Prediction prediction = predict(op, schedule, device, calibration, stop);
        std::array<double, corrected> ns{};
        for (std::size_t v = 0; v < corrected; ++v) {
            ns[v] = prediction.cost(model_choosers[v].variant).at(model_choosers[v].level).value;
        }
        all.shapes[place].push_back(all.kernels.size());
        all.configs.push_back(result.config);
        const Nanoseconds time = prediction.bottleneck.kernel;
        all.kernels.push_back({correction_features(schedule, prediction.kernel, time), time,
                               Nanoseconds{result.median_ns()}, place});
        all.ns.push_back(ns);
    }
    return all;
}

/// Least measured time among the first `count` in a chooser's order. Kernels that the chooser holds
/// alike are in no order, so random orders of them are tried (seed 1), and the geometric mean
/// counts.
double best_of_first(const std::vector<double>& chooser, const std::vector<double>& measured,
                     std::size_t count)
{
    constexpr int orders = 200;
    std::mt19937_64 random(1);
    std::vector<double> bests;
    for (int i = 0; i < orders; ++i) {
        std::vector<std::size_t> order = shuffled_indices(random, chooser.size());
        std::ranges::stable_sort(order, {}, [&](std::size_t one) { return chooser[one]; });
        order.resize(std::min(count, order.size()));
        bests.push_back(
            std::ranges::min(mapped(order, [&](std::size_t one) { return measured[one]; })));
    }
    return geometric_mean(bests);
}

ChoiceRatios ratios_of(const std::vector<MeasuredCase>& cases)
{
    ChoiceRatios choices(measured_choosers());
    for (const auto& one : cases) {
        choices.add(one.op, one.ratio);
    }
    return choices;
}

/// The cases that findings are from: with enough kernels to choose from, and whose measurements did
/// not decide values of the profile, so that the model has not seen them.
std::vector<MeasuredCase> telling(const std::vector<MeasuredCase>& cases, std::int64_t enough)
{
    std::vector<MeasuredCase> left;
    std::copy_if(
        cases.begin(), cases.end(), std::back_inserter(left),
        [&](const MeasuredCase& one) { return one.kernels >= enough && !one.identified_on; });
    return left;
}

/// Mean of Kendall's tau over the cases that have one.
double mean_tau(const std::vector<MeasuredCase>& cases, std::size_t chooser)
{
    double sum = 0;
    int count = 0;
    for (const MeasuredCase& one : cases) {
        if (one.tau[chooser]) {
            sum += *one.tau[chooser];
            ++count;
        }
    }
    return count > 0 ? sum / count : 0;
}

ResultTable table_of(const std::vector<MeasuredCase>& cases)
{
    ResultTable table{{"operator", "identified_on", "kernels", "best", "best_ns"}, {}};
    const std::vector<std::string> names = measured_choosers();
    table.columns.insert(table.columns.end(), names.begin(), names.end());
    for (std::size_t i = 0; i < first_few; ++i) {
        table.columns.push_back("tau " + names[i]);
    }
    for (const MeasuredCase& one : cases) {
        std::vector<ResultTable::Value> row{one.op, std::string(one.identified_on ? "yes" : "no"),
                                            one.kernels, one.best, std::round(one.best_ns)};
        for (const double ratio : one.ratio) {
            row.emplace_back(thousandths(ratio));
        }
        for (std::size_t i = 0; i < first_few; ++i) {
            row.emplace_back(one.tau[i] ? ResultTable::Value(thousandths(*one.tau[i]))
                                        : ResultTable::Value("-"));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace

std::vector<std::string> measured_choosers()
{
    return chooser_names({"corrected", fmt::format("first {}", few)});
}

std::vector<MeasuredCase> measured_cases(const std::vector<StoredResult>& results,
                                         const DeviceProfile& device, const Progress& progress,
                                         const StopToken& stop)
{
    const Predicted all = predicted_of(results, device, progress, stop);
    tell(progress, "corrections", 1, 2);
    // Every shape is corrected by trees that were fitted to other shapes only.
    const std::vector<double> held_out = held_out_corrected(all.kernels, folds);
    std::vector<MeasuredCase> cases;
    for (std::size_t s = 0; s < all.shapes.size(); ++s) {
        const KernelsOfShape& shape = all.shapes[s];
        if (shape.empty()) {
            continue;
        }
        const auto measured =
            mapped(shape, [&](std::size_t k) { return all.kernels[k].measured.value; });
        const auto best = std::min_element(measured.begin(), measured.end());
        MeasuredCase one{all.names[s],
                         false,
                         std::ssize(shape),
                         all.configs[shape[static_cast<std::size_t>(best - measured.begin())]],
                         *best,
                         {},
                         {}};
        for (std::size_t i = 0; i < measured_chooser_count; ++i) {
            const std::vector<double> times = mapped(
                shape, [&](std::size_t k) { return i < corrected ? all.ns[k][i] : held_out[k]; });
            one.ratio[i] = best_of_first(times, measured, i == first_few ? few : 1) / *best;
            one.tau[i] = kendall_tau_b(times, measured);
        }
        cases.push_back(std::move(one));
    }
    return cases;
}

std::vector<Finding> measured_findings(const std::vector<MeasuredCase>& all, std::int64_t enough)
{
    const std::size_t literal = place_of_variant(ModelVariant::literal),
                      bottleneck = place_of_variant(ModelVariant::bottleneck);
    // Bounds that this project aims at; the paper has none for them.
    constexpr double good_mean = 1.05, good_worst = 1.25, good_tau = 0.7;
    const std::vector<MeasuredCase> cases = telling(all, enough);
    if (cases.empty()) {
        return {};
    }
    const ChoiceRatios choices = ratios_of(cases);
    std::string taus;
    for (std::size_t i = 0; i < first_few; ++i) {
        taus +=
            fmt::format("{}{} {:.3f}", i > 0 ? ", " : "", choices.choosers[i], mean_tau(cases, i));
    }
    const std::string both = fmt::format("means {}; worst {}", choices.means(), choices.worsts());
    const auto good = [&](std::size_t i) {
        return choices.mean(i) <= good_mean && choices.worst(i) <= good_worst;
    };
    std::vector<Finding> findings =
        paper_findings(choices, literal, bottleneck,
                       "94.1 % on average over four kernels, on a phone (section 6.4, figure 10)");
    for (Finding& finding :
         level_findings(choices, "model: the 2,048 lines of the L1 hold all that a warp has "
                                 "between two reads of a line, so "
                                 "that L_w is L_t")) {
        findings.push_back(std::move(finding));
    }
    findings.insert(
        findings.end(),
        {
            {"what kernels of other shapes took makes for better choices still", "not in the paper",
             choices.means(), verdict_of(choices.mean(corrected) < choices.mean(bottleneck))},
            {"a choice that is not run takes 1.05 times the best time in the mean, 1.25 at worst",
             "our aim", both, verdict_of(good(bottleneck) || good(corrected)),
             "model: an aim of ours that neither model reaches yet"},
            {"the best of the first eight, which are run, does", "our aim", both,
             verdict_of(good(first_few)), "model: an aim of ours that the worst shape misses"},
            {"the order of all kernels is told, Kendall's tau 0.7", "our aim", taus,
             verdict_of(std::max(mean_tau(cases, bottleneck), mean_tau(cases, corrected)) >=
                        good_tau)},
        });
    return findings;
}

PanelPlot measured_plot(const std::vector<MeasuredCase>& cases, const std::string& device)
{
    return choice_plot(ratios_of(cases),
                       fmt::format("Measured time of each choice over the best, {} shapes on an {}",
                                   cases.size(), device));
}

namespace {

ExperimentResult result_of(const TuningMeasurements& tuning, const DeviceProfile& device,
                           const Progress& progress, const StopToken& stop)
{
    // Findings are from the shapes of which at least so many kernels were measured.
    constexpr std::int64_t enough = 100;
    std::vector<StoredResult> results = tuning.identified_on;
    results.insert(results.end(), tuning.others.begin(), tuning.others.end());
    std::vector<MeasuredCase> cases = measured_cases(results, device, progress, stop);
    // Shapes that values of the profile were identified on are shown, but decide nothing.
    std::set<std::string> identified_on;
    for (const StoredResult& one : tuning.identified_on) {
        identified_on.insert(to_string(parse_operator(one.op, one.shape, one.padding)));
    }
    std::int64_t kernels = 0;
    for (MeasuredCase& one : cases) {
        one.identified_on = identified_on.contains(one.op);
        kernels += one.kernels;
    }
    const std::vector<MeasuredCase> told = telling(cases, enough);
    const std::string& measured_on = results.front().key.device;
    ExperimentResult::Conditions conditions{
        {"device", fmt::format("{}, driver {}, measured; models with the profile {}", measured_on,
                               results.front().key.driver, device.name)},
        {"kernels", fmt::format("{} in {} shapes; findings and plot from the {} shapes with {} or "
                                "more that the profile's "
                                "model.* were not identified on",
                                kernels, cases.size(), told.size(), enough)},
        {"choices",
         "among the kernels that were measured, drawn at random and by the bottleneck model; "
         "medians of 5 or 7 runs; "
         "where a model holds some alike, the geometric mean over random orders of these"},
        {"calibration", "of literal, refined and reuse-aware: on the simulated device, seed 1"},
        {"corrected", fmt::format("the bottleneck model, corrected by boosted trees over what "
                                  "kernels of other shapes took; "
                                  "{} folds of shapes",
                                  folds)},
        {"first 8", "the best of the corrected model's first eight"},
        {"again", "experiments/measurements/tune_shapes.sh measures kernels of the same shapes, on "
                  "any device"},
    };
    return {std::move(conditions), table_of(cases), measured_findings(cases, enough),
            measured_plot(told, measured_on)};
}

} // namespace

ExperimentResult run_measured_h200(const ExperimentDevice& device, const Progress& progress,
                                   const StopToken& stop)
{
    return result_of(h200_tuning(), device.profile, progress, stop);
}

ExperimentResult run_measured_h100(const ExperimentDevice& device, const Progress& progress,
                                   const StopToken& stop)
{
    return result_of(h100_tuning(), device.profile, progress, stop);
}

} // namespace texelscope::experiments
