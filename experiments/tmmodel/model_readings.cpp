#include "experiments/tmmodel/model_readings.hpp"

#include "base/averages.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "experiments/shared/choices.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/store/shipped_measurements.hpp"
#include "workbench/study/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

namespace texelscope::experiments {
// The paper leaves open what some of its symbols count (docs/reference/model.md, readings). Every
// combination is a reading; half of the shapes of each operator choose the best one, the other half
// judge it.
namespace {

/// Times of some configurations of one operator and shape, and what each reading predicts.
struct Timed {
    Operator op;
    std::vector<double> ns;
    /// Of all readings in turn, then of the bottleneck model; by configuration.
    std::vector<std::vector<double>> costs;
};

/// Adds a configuration with its time, and every reading's prediction of it.
void add(Timed& timed, const Schedule& schedule, double ns, const DeviceProfile& device,
         const Calibration& calibration, const std::vector<Reading>& readings)
{
    const Prediction prediction = predict(timed.op, schedule, device, calibration);
    timed.costs.resize(readings.size() + 1);
    for (std::size_t r = 0; r < readings.size(); ++r) {
        timed.costs[r].push_back(
            predict(prediction.kernel, prediction.device, calibration, readings[r]).kernel.value);
    }
    // The bottleneck model stands behind the readings, for comparison.
    timed.costs.back().push_back(prediction.bottleneck.kernel.value);
    timed.ns.push_back(ns);
}

std::vector<ReadingCase> cases_of(const std::vector<Timed>& all)
{
    std::map<std::string, int> seen;
    std::vector<ReadingCase> cases;
    for (const Timed& timed : all) {
        if (timed.ns.empty()) {
            continue;
        }
        // By turns, so that each kind of operator is in both halves.
        ReadingCase one{to_string(timed.op), seen[timed.op.name]++ % 2 == 0, {}, 1};
        one.ratios =
            mapped(timed.costs, [&](const auto& costs) { return choice_ratio(costs, timed.ns); });
        one.bottleneck = one.ratios.back();
        one.ratios.pop_back();
        cases.push_back(std::move(one));
    }
    return cases;
}

/// Place of a reading among all_readings().
std::size_t place_of(const Reading& reading)
{
    const std::vector<Reading> readings = all_readings();
    return static_cast<std::size_t>(std::ranges::find(readings, reading) - readings.begin());
}

/// Mean and worst of one half of the cases.
struct Mean {
    double mean = 1;
    double worst = 1;
};
template <class Ratio>
Mean mean_of(const std::vector<ReadingCase>& cases, bool chosen_on, const Ratio& ratio)
{
    std::vector<double> ratios;
    for (const ReadingCase& one : cases) {
        if (one.chosen_on == chosen_on) {
            ratios.push_back(ratio(one));
        }
    }
    return ratios.empty() ? Mean{} : Mean{geometric_mean(ratios), std::ranges::max(ratios)};
}

Mean mean_of_reading(const std::vector<ReadingCase>& cases, std::size_t reading, bool chosen_on)
{
    return mean_of(cases, chosen_on, [&](const ReadingCase& one) { return one.ratios[reading]; });
}

/// A function of its own, so that mean_of() can take it as it takes a reading's ratio.
double bottleneck_ratio(const ReadingCase& one)
{
    return one.bottleneck;
}

ResultTable table_of(const std::vector<ReadingCase>& cases)
{
    ResultTable table{
        {"reading", "variant", "chosen_on", "chosen_on_worst", "others", "others_worst"}, {}};
    const auto row = [&](const std::string& reading, const std::string& variant, Mean chosen,
                         Mean others) {
        table.rows.push_back({reading, variant, thousandths(chosen.mean), thousandths(chosen.worst),
                              thousandths(others.mean), thousandths(others.worst)});
    };
    const std::vector<Reading> readings = all_readings();
    for (std::size_t r = 0; r < readings.size(); ++r) {
        // The reading without any change is the model as printed.
        row(to_string(readings[r]),
            readings[r] == Reading{}        ? "literal"
            : readings[r] == best_reading() ? "refined"
                                            : "-",
            mean_of_reading(cases, r, true), mean_of_reading(cases, r, false));
    }
    row("none of them", "bottleneck", mean_of(cases, true, bottleneck_ratio),
        mean_of(cases, false, bottleneck_ratio));
    return table;
}

/// Two or more shapes of each kind of operator, small enough to time hundreds of configurations of
/// each.
std::vector<Operator> timed_operators()
{
    std::vector<Operator> operators;
    for (const auto& [name, shape] : {std::pair{"matmul", "64,64,64"},
                                      std::pair{"matmul", "192,160,224"},
                                      std::pair{"matmul", "128,512,128"},
                                      std::pair{"matmul", "256,256,256"},
                                      std::pair{"conv2d", "1,14,14,32,32,3,3,1"},
                                      std::pair{"conv2d", "1,28,28,16,32,3,3,2"},
                                      std::pair{"conv2d", "1,28,28,64,64,3,3,1"},
                                      std::pair{"conv2d", "1,56,56,24,64,1,1,1"},
                                      std::pair{"dwconv2d", "1,28,28,64,3,3,1"},
                                      std::pair{"dwconv2d", "1,56,56,64,3,3,1"},
                                      std::pair{"deconv2d", "1,8,8,16,16,3,3,1"},
                                      std::pair{"deconv2d", "1,28,28,32,16,3,3,2"},
                                      std::pair{"conv3d", "1,4,8,8,8,8,3,3,3,1"},
                                      std::pair{"conv3d", "1,8,16,16,16,16,3,3,3,1"},
                                      std::pair{"softmax", "256,256"},
                                      std::pair{"softmax", "384,640"},
                                      std::pair{"layernorm", "256,256"},
                                      std::pair{"layernorm", "64,1024"},
                                      std::pair{"matmul_da", "96,64,128"},
                                      std::pair{"matmul_da", "128,128,64"},
                                      std::pair{"conv2d_dx", "1,14,14,32,16,3,3,1"},
                                      std::pair{"conv2d_dx", "1,28,28,16,32,3,3,1"},
                                      std::pair{"dwconv2d_dx", "1,28,28,64,3,3,1"},
                                      std::pair{"dwconv2d_dx", "1,56,56,32,3,3,1"}}) {
        operators.push_back(parse_operator(name, shape));
    }
    return operators;
}

/// The committed measurements of the profile's device; empty where there are none, or the device is
/// there to be measured.
std::vector<StoredResult> measurements_of(const ExperimentDevice& device)
{
    const std::optional<TuningMeasurements> tuning = tuning_of(device.profile.name);
    if (!tuning || device.real()) {
        return {};
    }
    std::vector<StoredResult> results = tuning->identified_on;
    results.insert(results.end(), tuning->others.begin(), tuning->others.end());
    return results;
}

} // namespace

std::vector<ReadingCase> measured_readings(const std::vector<StoredResult>& results,
                                           const DeviceProfile& device, const Progress& progress,
                                           const StopToken& stop)
{
    const std::vector<Reading> readings = all_readings();
    const Calibration calibration = calibrate_profile(device, 1, stop);
    std::map<std::string, std::size_t> known;
    std::vector<Timed> all;
    for (std::size_t i = 0; i < results.size(); ++i) {
        check_stop(stop);
        if (i % 100 == 0) {
            tell(progress, "predictions", i, results.size());
        }
        const StoredResult& result = results[i];
        if (result.status != RunStatus::ok) {
            continue;
        }
        const Operator op = parse_operator(result.op, result.shape, result.padding);
        const auto [found, is_new] = known.emplace(to_string(op), all.size());
        if (is_new) {
            all.push_back({op, {}, {}});
        }
        add(all[found->second], parse_schedule(result.config), result.median_ns(), device,
            calibration, readings);
    }
    return cases_of(all);
}

std::vector<ReadingCase> timed_readings(const std::vector<Operator>& operators,
                                        const ExperimentDevice& device,
                                        const ReadingOptions& options, const Progress& progress,
                                        const StopToken& stop)
{
    const std::vector<Reading> readings = all_readings();
    const Calibration calibration = calibrate_profile(device.profile, 1, stop);
    std::vector<Timed> all;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const Operator& op = operators[i];
        const ConfigurationSpace space = configuration_space(op, device.profile);
        KernelTimes times(op, device, options.sample, stop);
        std::mt19937_64 random(options.seed);
        std::set<std::int64_t> chosen;
        for (const std::size_t index :
             shuffled_indices(random, static_cast<std::size_t>(space.size()))) {
            if (chosen.size() == options.draws) {
                break;
            }
            chosen.insert(static_cast<std::int64_t>(index));
        }
        // Random ones alone would hold few good configurations, and every choice would look good.
        const ModelCosts costs{op,          device.profile,           space,
                               calibration, ModelVariant::bottleneck, stop};
        for (const RankedConfiguration& ranked : rank_by_model(costs, options.first).best) {
            chosen.insert(ranked.index);
        }
        Timed& timed = all.emplace_back(Timed{op, {}, {}});
        std::size_t done = 0;
        for (const std::int64_t index : chosen) {
            if (done++ % 16 == 0) {
                tell(progress, to_string(op), i * chosen.size() + done,
                     operators.size() * chosen.size());
            }
            const Schedule schedule = space.at(index);
            if (const auto time = times.time(schedule)) {
                add(timed, schedule, time->value, device.profile, calibration, readings);
            }
        }
    }
    return cases_of(all);
}

double reading_mean(const std::vector<ReadingCase>& cases, std::size_t reading, bool chosen_on)
{
    return mean_of_reading(cases, reading, chosen_on).mean;
}

std::vector<Finding> reading_findings(const std::vector<ReadingCase>& cases)
{
    // The paper is within 1 % of the best; 25 % is what this project aims at.
    constexpr double near = 1.05, aim = 1.25, paper = 1.01;
    const std::vector<Reading> readings = all_readings();
    // The best reading on the shapes that readings are chosen on.
    std::size_t best = 0;
    for (std::size_t r = 1; r < readings.size(); ++r) {
        if (reading_mean(cases, r, true) < reading_mean(cases, best, true)) {
            best = r;
        }
    }
    const std::size_t ours = place_of(best_reading());
    const Mean others = mean_of_reading(cases, ours, false);
    const Mean printed = mean_of_reading(cases, place_of({}), false);
    const std::string both =
        fmt::format("{:.3f} times the best in the mean, {:.3f} at worst; as printed {:.3f}, "
                    "{:.3f}; bottleneck {:.3f}",
                    others.mean, others.worst, printed.mean, printed.worst,
                    mean_of(cases, false, bottleneck_ratio).mean);
    const auto verdict = [&](bool holds) {
        return cases.empty() ? Verdict::not_tested : verdict_of(holds);
    };
    return {
        {"on the shapes that a reading is chosen on, that of refined is the best, or as good "
         "within 5 %",
         "not in the paper",
         fmt::format("refined {:.3f}, the best {:.3f} ({})", reading_mean(cases, ours, true),
                     reading_mean(cases, best, true), to_string(readings[best])),
         verdict(reading_mean(cases, ours, true) <= near * reading_mean(cases, best, true)),
         "set-up: it was chosen by the product over the simulated Adreno 740 and the H100, not "
         "on each by itself"},
        {"on the other shapes, its choices are better than those of the model as printed",
         "not in the paper", both, verdict(others.mean < printed.mean)},
        {"they take 1.25 times the best time in the mean", "our aim", both,
         verdict(others.mean <= aim),
         "model: L_t is the latency of dependent reads, and groups of warps follow one another; "
         "what bounds most of these kernels is throughput"},
        {"they are within 1 % of the best", "within around 1 % of exhaustive search (section 6.4)",
         both, verdict(others.mean <= paper), "model: as for 1.25 times the best"},
    };
}

ExperimentResult run_model_readings(const ExperimentDevice& device, const Progress& progress,
                                    const StopToken& stop)
{
    const ReadingOptions options;
    const std::vector<StoredResult> shipped = measurements_of(device);
    const std::vector<ReadingCase> cases =
        shipped.empty() ? timed_readings(timed_operators(), device, options, progress, stop)
                        : measured_readings(shipped, device.profile, progress, stop);
    ExperimentResult::Conditions conditions{
        {"device", shipped.empty() ? device.text()
                                   : fmt::format("{}, measured; models with the profile {}",
                                                 shipped.front().key.device, device.name())},
        {"readings",
         "one of the choices for each symbol that the paper leaves open, in every combination"},
        {"shapes", fmt::format("{}; of each kind of operator by turns chosen on and judged on",
                               cases.size())},
        {"choices",
         shipped.empty()
             ? fmt::format(
                   "among {} configurations at random and the bottleneck model's first {} of each "
                   "shape, {}",
                   options.draws, options.first, device.times_text(sampled_text(options.sample)))
             : "among the kernels that were measured"},
        {"calibration", "on the simulated device, seed 1"},
    };
    ChoiceRatios choices({"literal", "refined", "bottleneck"});
    for (const ReadingCase& one : cases) {
        if (!one.chosen_on) {
            choices.add(one.op, std::array{one.ratios[place_of({})],
                                           one.ratios[place_of(best_reading())], one.bottleneck});
        }
    }
    return {std::move(conditions), table_of(cases), decided_on(device, reading_findings(cases)),
            choice_plot(choices,
                        fmt::format("Time of each choice over the best, shapes not chosen on, {}",
                                    device.name()))};
}

} // namespace texelscope::experiments
