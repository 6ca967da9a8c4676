#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/shared/experiment_device.hpp"
#include "model/tmmodel/calibration.hpp"
#include "workbench/plots/panel_plot.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/frameworks.hpp"
#include "workbench/tuning/operator_timer.hpp"
#include "workbench/tuning/search.hpp"
#include "workbench/tuning/strategy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// Times of one operator's configurations, each judged once: by the simulator's timer or, where
/// there is a real device, by runs there whose outputs are checked.
class KernelTimes {
public:
    /// What the device is made of must outlive this object. `most_accesses`: of a simulation.
    /// time() throws Interrupted when `stop` answers true.
    KernelTimes(Operator op, const ExperimentDevice& device, std::int64_t most_accesses,
                const StopToken& stop = {});

    /// The time of a configuration; nothing where it is illegal or breaks a limit of the device,
    /// and on a real one where it fails or its output is wrong.
    [[nodiscard]] std::optional<Nanoseconds> time(const Schedule& schedule);
    /// For the elements of a space; both must outlive it.
    [[nodiscard]] TimeOf time_of(const ConfigurationSpace& space);

    [[nodiscard]] const Operator& op() const { return op_; }
    [[nodiscard]] const ExperimentDevice& device() const { return device_; }
    [[nodiscard]] const DeviceProfile& profile() const { return device_.profile; }
    [[nodiscard]] std::int64_t most_accesses() const { return most_accesses_; }
    [[nodiscard]] const StopToken& stop() const { return stop_; }

private:
    Operator op_;
    ExperimentDevice device_;
    std::int64_t most_accesses_;
    StopToken stop_;
    OperatorTimer timer_;
    std::map<std::string, std::optional<Nanoseconds>> known_; ///< by configuration
};

/// The result of a search.
struct Choice {
    Schedule schedule;
    std::int64_t space = 0;  ///< configurations to choose from
    std::int64_t trials = 0; ///< how many of them were run before the choice was made
    Nanoseconds run_time{0}; ///< time of all of these runs together
};

/// A choice and the time that it takes.
struct TimedChoice {
    Choice choice;
    Nanoseconds time{0};
};
/// The choice with its time. Throws bad_input where there is no choice, or it cannot run.
[[nodiscard]] TimedChoice timed(const std::optional<Choice>& choice, KernelTimes& times);

/// The best trial of a strategy on a space; nothing where none could run. Throws Interrupted.
[[nodiscard]] std::optional<Choice> best_of(const Strategy& strategy,
                                            const ConfigurationSpace& space,
                                            const SearchBudget& budget, KernelTimes& times,
                                            std::uint64_t seed = 1);

/// The first configuration of a model's ranking of a space. No kernel is run for it on a simulated
/// device; on a real one it is the first that runs. Throws bad_input where that is not among the
/// first of them.
[[nodiscard]] Choice first_of_model(ModelVariant variant, const ConfigurationSpace& space,
                                    const Calibration& calibration, KernelTimes& times);

/// The strategy "shortlist" on a space: the bottleneck model's first, each timed. `tries`: how
/// many; empty: the strategy's own number.
[[nodiscard]] std::optional<Choice> shortlisted(const ConfigurationSpace& space, KernelTimes& times,
                                                std::optional<std::int64_t> tries = {});

/// shortlisted() with `tries` tries, of which the fastest `again` are judged once more by `closer`;
/// the choice is the fastest of these, and its trials are these.
[[nodiscard]] std::optional<Choice> shortlisted_twice(const ConfigurationSpace& space,
                                                      KernelTimes& times, KernelTimes& closer,
                                                      std::int64_t tries, std::size_t again);

/// How many configurations are timed for a framework's choice. Each takes a fraction of a second,
/// so a whole space cannot be run here. A framework that runs its whole space finds the best of it;
/// in its place only the bottleneck model's first few are timed.
struct FrameworkTries {
    std::int64_t of_all = 4;   ///< for a framework that runs its whole space, or draws from it
    std::int64_t learned = 16; ///< for a framework with a learned search
};
/// A framework's choice, by framework_search(); nothing where it has none.
[[nodiscard]] std::optional<Choice> chosen_by(Framework framework, KernelTimes& times,
                                              const FrameworkTries& tries = {});

/// How good a model's choice is: the time of the configuration of least cost, divided by the least
/// time; 1 is best. If several configurations have the least cost, the geometric mean of their
/// times counts. `costs` and `ns` have equally many values, at least one.
[[nodiscard]] double choice_ratio(std::span<const double> costs, std::span<const double> ns);

/// choice_ratio() of several choosers in several cases.
struct ChoiceRatios {
    std::vector<std::string> choosers;
    std::vector<std::string> cases;          ///< operators and shapes
    std::vector<std::vector<double>> ratios; ///< by chooser, by case; 1 or more

    explicit ChoiceRatios(std::vector<std::string> names);
    /// One ratio for each chooser.
    void add(const std::string& name, std::span<const double> of_case);

    /// The geometric mean of a chooser's ratios.
    [[nodiscard]] double mean(std::size_t chooser) const;
    [[nodiscard]] double worst(std::size_t chooser) const; ///< 1 where there is no case
    /// Share of the cases in which the choice is within 1 % of the best.
    [[nodiscard]] double share_as_good(std::size_t chooser) const;
    /// "literal VALUE, refined VALUE ..".
    [[nodiscard]] std::string of_each(const std::function<std::string(std::size_t)>& value) const;
    [[nodiscard]] std::string means() const;
    [[nodiscard]] std::string worsts() const;
    [[nodiscard]] std::string shares() const;
};

/// Why choices of the model as printed are worse than the paper says.
inline constexpr const char* equation_6_as_printed =
    "model: equation 6 as printed counts work-groups; see readings";

/// The findings on what TMModel says of its choices (section 6.4, figure 10), and whether a second
/// chooser, the bottleneck model, which goes by the profile, is better. `literal`, `bottleneck`:
/// places of both among the choosers. `paper_share`: what the paper says of the first.
[[nodiscard]] std::vector<Finding> paper_findings(const ChoiceRatios& choices, std::size_t literal,
                                                  std::size_t bottleneck,
                                                  const std::string& paper_share);

/// The mean of each chooser as a bar, the cases as discs.
[[nodiscard]] PanelPlot choice_plot(const ChoiceRatios& choices, const std::string& title);

/// How much is simulated.
struct CompareOptions {
    std::int64_t sample = 2'000; ///< warp accesses of each time (sampled_time())
    std::int64_t tries = 8;      ///< of the shortlist
    FrameworkTries frameworks = {};
};

/// Our choices for one operator and shape beside those of frameworks.
struct ComparedChoices {
    Operator op;
    TimedChoice shortlist;
    TimedChoice literal;    ///< first of the model as printed
    TimedChoice bottleneck; ///< first of the bottleneck model
    /// Nothing: not asked for, it does not run the operator, or none of its configurations can run.
    std::array<std::optional<TimedChoice>, all_frameworks.size()> frameworks;

    /// A framework's time divided by the time of our choice `ours`.
    [[nodiscard]] std::optional<double>
    speedup(Framework framework,
            TimedChoice ComparedChoices::*ours = &ComparedChoices::shortlist) const;
};

/// Finds and times all choices. Ours are from configuration_space(), those of frameworks from
/// framework_search(). Throws Interrupted, and bad_input where no configuration fits the device.
[[nodiscard]] ComparedChoices compare_choices(const Operator& op, const ExperimentDevice& device,
                                              const Calibration& calibration,
                                              std::span<const Framework> frameworks,
                                              const CompareOptions& options = {},
                                              const StopToken& stop = {});

} // namespace texelscope::experiments
