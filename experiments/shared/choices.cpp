#include "experiments/shared/choices.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "workbench/space/operator_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace texelscope::experiments {
namespace {

constexpr std::uint64_t inputs_seed = 1; ///< of a real device's runs

} // namespace

KernelTimes::KernelTimes(Operator op, const ExperimentDevice& device, std::int64_t most_accesses,
                         const StopToken& stop)
    : op_(std::move(op)), device_(device), most_accesses_(most_accesses), stop_(stop),
      timer_(device.real() ? device_timer(op_, *device.on, experiment_runs(stop), inputs_seed, {})
                           : simulator_timer(device.profile, most_accesses, {}, stop))
{}

std::optional<Nanoseconds> KernelTimes::time(const Schedule& schedule)
{
    // The text of a schedule says all of it, so equal texts are equal kernels.
    const std::string key = to_string(schedule);
    if (const auto found = known_.find(key); found != known_.end()) {
        return found->second;
    }
    check_stop(stop_);
    const std::optional<StoredResult> result = judged(timer_, op_, schedule);
    const auto time = result && result->status == RunStatus::ok
                          ? std::optional(Nanoseconds{result->median_ns()})
                          : std::nullopt;
    known_.emplace(key, time);
    return time;
}

TimeOf KernelTimes::time_of(const ConfigurationSpace& space)
{
    return [this, &space](std::int64_t index) { return time(space.at(index)); };
}

TimedChoice timed(const std::optional<Choice>& choice, KernelTimes& times)
{
    const std::optional<Nanoseconds> time = choice ? times.time(choice->schedule) : std::nullopt;
    if (!time) {
        throw bad_input("no configuration can run",
                        to_string(times.op()) + " on " + times.device().name());
    }
    return {*choice, *time};
}

namespace {

/// Throws Interrupted.
SearchResult searched(const Strategy& strategy, const ConfigurationSpace& space,
                      const SearchBudget& budget, KernelTimes& times, std::uint64_t seed)
{
    const TimeOf time_of = times.time_of(space);
    SearchResult found =
        run_strategy(strategy,
                     {times.op(), times.profile(), space, time_of, budget, seed, {}, times.stop()})
            .search;
    if (found.interrupted) {
        throw Interrupted{};
    }
    return found;
}

std::optional<Choice> choice_of(const ConfigurationSpace& space, const SearchResult& found)
{
    if (!found.best) {
        return std::nullopt;
    }
    Choice choice{space.at(found.best->index), space.size(), std::ssize(found.trials), {}};
    for (const Trial& trial : found.trials) {
        choice.run_time += trial.time.value_or(Nanoseconds{0});
    }
    return choice;
}

} // namespace

std::optional<Choice> best_of(const Strategy& strategy, const ConfigurationSpace& space,
                              const SearchBudget& budget, KernelTimes& times, std::uint64_t seed)
{
    return choice_of(space, searched(strategy, space, budget, times, seed));
}

Choice first_of_model(ModelVariant variant, const ConfigurationSpace& space,
                      const Calibration& calibration, KernelTimes& times)
{
    // A real device may refuse a kernel that the profile's limits allow, as it takes more registers
    // than there are for so large a work-group, say. Who goes by the model then takes its next.
    const bool real = times.device().real();
    const std::size_t looked_at = real ? 64 : 1;
    const Ranking ranking = rank_by_model(
        {times.op(), times.profile(), space, calibration, variant, times.stop()}, looked_at);
    for (const RankedConfiguration& ranked : ranking.best) {
        if (!real || times.time(ranked.schedule)) {
            return {ranked.schedule, space.size(), 0, {}};
        }
    }
    throw bad_input(
        fmt::format("none of the first {} of the model {} can run", looked_at, to_string(variant)),
        to_string(times.op()) + " on " + times.device().name());
}

std::optional<Choice> shortlisted(const ConfigurationSpace& space, KernelTimes& times,
                                  std::optional<std::int64_t> tries)
{
    const Strategy strategy = parse_strategy("shortlist");
    return best_of(strategy, space, {tries ? *tries : strategy.runs.value()}, times);
}

std::optional<Choice> shortlisted_twice(const ConfigurationSpace& space, KernelTimes& times,
                                        KernelTimes& closer, std::int64_t tries, std::size_t again)
{
    // First all with short samples, then the fastest few once more, closely.
    std::vector<Trial> trials =
        searched(parse_strategy("shortlist"), space, {tries}, times, 1).trials;
    std::erase_if(trials, [](const Trial& trial) { return !trial.time; });
    std::ranges::stable_sort(trials, {}, [](const Trial& trial) { return trial.time->value; });
    trials.resize(std::min(again, trials.size()));
    const SearchResult found = listed_search(mapped(trials, &Trial::index), space.size(),
                                             closer.time_of(space), {}, {}, closer.stop());
    if (found.interrupted) {
        throw Interrupted{};
    }
    return choice_of(space, found);
}

std::optional<Choice> chosen_by(Framework framework, KernelTimes& times,
                                const FrameworkTries& tries)
{
    FrameworkSearch search = framework_search(framework, times.op(), times.profile());
    // A framework that asks for one run has made its choice already; one that runs many of its list
    // or space is cut down to what the bottleneck model puts first (FrameworkTries).
    if (search.strategy.learns) {
        search.budget.runs = tries.learned;
    } else if (search.strategy.runs != 1) {
        return shortlisted(search.space, times, tries.of_all);
    }
    return best_of(search.strategy, search.space, search.budget, times);
}

double choice_ratio(std::span<const double> costs, std::span<const double> ns)
{
    const double least = std::ranges::min(costs);
    std::vector<double> chosen;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (costs[i] <= least) {
            chosen.push_back(ns[i]);
        }
    }
    return geometric_mean(chosen) / std::ranges::min(ns);
}

ChoiceRatios::ChoiceRatios(std::vector<std::string> names)
    : choosers(std::move(names)), ratios(choosers.size())
{}

void ChoiceRatios::add(const std::string& name, std::span<const double> of_case)
{
    cases.push_back(name);
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        ratios[i].push_back(of_case[i]);
    }
}

double ChoiceRatios::mean(std::size_t chooser) const
{
    return geometric_mean(ratios[chooser]);
}

double ChoiceRatios::worst(std::size_t chooser) const
{
    return ratios[chooser].empty() ? 1 : std::ranges::max(ratios[chooser]);
}

double ChoiceRatios::share_as_good(std::size_t chooser) const
{
    constexpr double as_good = 1.01;
    const auto& all = ratios[chooser];
    const auto good = std::ranges::count_if(all, [](double ratio) { return ratio <= as_good; });
    return static_cast<double>(good) / static_cast<double>(all.size());
}

std::string ChoiceRatios::of_each(const std::function<std::string(std::size_t)>& value) const
{
    std::string text;
    for (std::size_t i = 0; i < choosers.size(); ++i) {
        text += fmt::format("{}{} {}", i > 0 ? ", " : "", choosers[i], value(i));
    }
    return text;
}

std::string ChoiceRatios::means() const
{
    return of_each([&](std::size_t i) { return fmt::format("{:.3f}", mean(i)); });
}

std::string ChoiceRatios::worsts() const
{
    return of_each([&](std::size_t i) { return fmt::format("{:.3f}", worst(i)); });
}

std::string ChoiceRatios::shares() const
{
    return of_each([&](std::size_t i) { return fmt::format("{:.0f} %", 100 * share_as_good(i)); });
}

std::vector<Finding> paper_findings(const ChoiceRatios& choices, std::size_t literal,
                                    std::size_t bottleneck, const std::string& paper_share)
{
    // From figure 10 of the paper: 94.1 % of its choices are the best, and the worst reaches 83.8 %
    // of the best's speed.
    constexpr double least_share = 0.941, most_worst = 1 / 0.838;
    return {
        {"the model as printed chooses the best configuration, or one within 1 % of it, nearly "
         "always",
         paper_share, choices.shares(), verdict_of(choices.share_as_good(literal) >= least_share),
         equation_6_as_printed},
        {"where the model as printed is wrong, its choice is nearly as good",
         "83.8 to 98.4 % of the best's speed (section 6.4, figure 10): at most 1.193 times its "
         "time",
         choices.worsts(), verdict_of(choices.worst(literal) <= most_worst), equation_6_as_printed},
        {"what the profile knows of caches and bandwidths makes for better choices than the model "
         "as printed",
         "not in the paper", choices.means(),
         verdict_of(choices.mean(bottleneck) < choices.mean(literal))},
    };
}

namespace {

/// A name of two words in two lines.
std::string two_lines(std::string name)
{
    std::replace(name.begin(), name.end(), ' ', '\n');
    return name;
}

} // namespace

PanelPlot choice_plot(const ChoiceRatios& choices, const std::string& title)
{
    PanelPlot plot;
    plot.title = title;
    plot.left_label = "time over the best";
    plot.x_low = 0.4;
    plot.x_high = static_cast<double>(choices.choosers.size()) + 0.6;
    plot.panel_width = 800;
    plot.x_label = "chosen by";
    PanelPlot::Panel& panel = plot.panels.emplace_back();
    PanelPlot::Bars means{"geometric mean", 1, {}};
    for (std::size_t i = 0; i < choices.choosers.size(); ++i) {
        const double x = static_cast<double>(i) + 1;
        plot.x_ticks.push_back(x);
        plot.x_tick_names.push_back(two_lines(choices.choosers[i]));
        means.points.push_back({x, choices.mean(i), fmt::format("{:.3f}", choices.mean(i))});
        for (std::size_t one = 0; one < choices.cases.size(); ++one) {
            // Each a curve of its own, as the cases must not be joined by a line.
            const double ratio = choices.ratios[i][one];
            panel.curves.push_back(
                {.name = "an operator and shape",
                 .colour = 2,
                 .points = {{x, ratio, fmt::format("{}: {:.3f}", choices.cases[one], ratio)}},
                 .line = false});
        }
    }
    panel.bars.push_back(std::move(means));
    return plot;
}

std::optional<double> ComparedChoices::speedup(Framework framework,
                                               TimedChoice ComparedChoices::*ours) const
{
    const std::optional<TimedChoice>& theirs = frameworks[static_cast<std::size_t>(framework)];
    return theirs ? std::optional(theirs->time / (this->*ours).time) : std::nullopt;
}

ComparedChoices compare_choices(const Operator& op, const ExperimentDevice& device,
                                const Calibration& calibration,
                                std::span<const Framework> frameworks,
                                const CompareOptions& options, const StopToken& stop)
{
    const ConfigurationSpace space = configuration_space(op, device.profile);
    KernelTimes times(op, device, options.sample, stop);
    const auto first_of = [&](ModelVariant variant) {
        return timed(first_of_model(variant, space, calibration, times), times);
    };
    ComparedChoices compared{op,
                             timed(shortlisted(space, times, options.tries), times),
                             first_of(ModelVariant::literal),
                             first_of(ModelVariant::bottleneck),
                             {}};
    for (const Framework framework : frameworks) {
        if (runs(framework, op)) {
            if (const std::optional<Choice> choice =
                    chosen_by(framework, times, options.frameworks)) {
                compared.frameworks[static_cast<std::size_t>(framework)] = timed(choice, times);
            }
        }
    }
    return compared;
}

} // namespace texelscope::experiments
