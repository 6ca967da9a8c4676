#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/shared/experiment_result.hpp"
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

/// Times of one operator's configurations by the simulator's timer, each simulated once.
class SimulatedTimes {
public:
    /// The device must outlive the times. Throws Interrupted from time() where `stop` says so.
    SimulatedTimes(Operator op, const DeviceProfile& device, std::int64_t most_accesses,
                   const StopToken& stop = {});

    /// Nothing where the configuration is illegal or breaks a limit.
    [[nodiscard]] std::optional<Nanoseconds> time(const Schedule& schedule);
    /// For the elements of a space; both must outlive it.
    [[nodiscard]] TimeOf time_of(const ConfigurationSpace& space);

    [[nodiscard]] const Operator& op() const { return op_; }
    [[nodiscard]] const DeviceProfile& device() const { return device_; }
    [[nodiscard]] const StopToken& stop() const { return stop_; }

private:
    Operator op_;
    const DeviceProfile& device_;
    StopToken stop_;
    OperatorTimer timer_;
    std::map<std::string, std::optional<Nanoseconds>> known_; ///< by configuration
};

/// What a search came to.
struct Choice {
    Schedule schedule;
    std::int64_t space = 0;  ///< configurations to choose from
    std::int64_t trials = 0; ///< of them, run before the choice was made
    Nanoseconds run_time{0}; ///< of all of these runs
};

/// A choice and the time that it takes.
struct TimedChoice {
    Choice choice;
    Nanoseconds time{0};
};
/// Throws bad_input where there is no choice, or it cannot run.
[[nodiscard]] TimedChoice timed(const std::optional<Choice>& choice, SimulatedTimes& times);

/// The best trial of a strategy on a space; nothing where none could run. Throws Interrupted.
[[nodiscard]] std::optional<Choice> best_of(const Strategy& strategy,
                                            const ConfigurationSpace& space,
                                            const SearchBudget& budget, SimulatedTimes& times,
                                            std::uint64_t seed = 1);

/// The first of a model's ranking of a space, which runs nothing.
[[nodiscard]] Choice first_of_model(ModelVariant variant, const ConfigurationSpace& space,
                                    const Calibration& calibration, const SimulatedTimes& times);

/// The strategy "shortlist" on a space: the bottleneck model's first, each simulated. `tries`: how
/// many; empty: the strategy's own number.
[[nodiscard]] std::optional<Choice> shortlisted(const ConfigurationSpace& space,
                                                SimulatedTimes& times,
                                                std::optional<std::int64_t> tries = {});

/// The same with so many tries, the fastest `again` of which are then judged by `closer` times, and
/// its trials are these.
[[nodiscard]] std::optional<Choice> shortlisted_twice(const ConfigurationSpace& space,
                                                      SimulatedTimes& times, SimulatedTimes& closer,
                                                      std::int64_t tries, std::size_t again);

/// How many configurations are simulated for a framework's choice. A run takes a simulation of a
/// second's fraction, and a framework that runs everything finds the best of its space, so that of
/// such a space only the bottleneck model's first are simulated.
struct FrameworkTries {
    std::int64_t of_all = 4;   ///< of a space that is run as a whole, or drawn from
    std::int64_t learned = 16; ///< of a learned search
};
/// A framework's choice, by framework_search(); nothing where it has none.
[[nodiscard]] std::optional<Choice> chosen_by(Framework framework, SimulatedTimes& times,
                                              const FrameworkTries& tries = {});

/// Time of the configuration of least cost, over the least; of those alike, the geometric mean. One
/// or more, as many of both.
[[nodiscard]] double choice_ratio(std::span<const double> costs, std::span<const double> ns);

/// Times of choices over the best there is, for several choosers and cases.
struct ChoiceRatios {
    std::vector<std::string> choosers;
    std::vector<std::string> cases;          ///< operators and shapes
    std::vector<std::vector<double>> ratios; ///< by chooser, by case; 1 or more

    explicit ChoiceRatios(std::vector<std::string> names);
    /// One ratio for each chooser.
    void add(const std::string& name, std::span<const double> of_case);

    /// Geometric mean of a chooser's.
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

/// What TMModel says of its choices (section 6.4, figure 10), and whether a second chooser, which
/// goes by the profile, is better: by a chooser's place. `paper_share`: what the paper gives for
/// the first.
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

    /// A framework's time over ours.
    [[nodiscard]] std::optional<double>
    speedup(Framework framework,
            TimedChoice ComparedChoices::*ours = &ComparedChoices::shortlist) const;
};

/// Our choices are from configuration_space(), the frameworks' from framework_search(). Throws
/// Interrupted, and bad_input where no configuration fits the device.
[[nodiscard]] ComparedChoices compare_choices(const Operator& op, const DeviceProfile& device,
                                              const Calibration& calibration,
                                              std::span<const Framework> frameworks,
                                              const CompareOptions& options = {},
                                              const StopToken& stop = {});

} // namespace texelscope::experiments
