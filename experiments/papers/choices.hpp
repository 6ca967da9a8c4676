#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/space/configuration_space.hpp"
#include "experiments/study/prediction.hpp"
#include "experiments/tuning/frameworks.hpp"
#include "experiments/tuning/judges.hpp"
#include "experiments/tuning/search.hpp"
#include "experiments/tuning/strategy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace texelscope::experiments {

/// Times of one operator's configurations by the simulator's judging, each simulated once.
class SimulatedTimes {
public:
    /// The device must outlive the times. Throws Interrupted from time() where `stop` says so.
    SimulatedTimes(Operator op, const DeviceProfile& device, std::int64_t most_accesses, const StopToken& stop = {});

    /// Nothing where the configuration is illegal or breaks a limit.
    [[nodiscard]] std::optional<Nanoseconds> time(const Schedule& schedule);
    /// For the elements of a space; both must outlive the judge.
    [[nodiscard]] Judge judge(const ConfigurationSpace& space);

    [[nodiscard]] const Operator& op() const { return op_; }
    [[nodiscard]] const DeviceProfile& device() const { return device_; }
    [[nodiscard]] const StopToken& stop() const { return stop_; }

private:
    Operator op_;
    const DeviceProfile& device_;
    StopToken stop_;
    Judging judging_;
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
[[nodiscard]] std::optional<Choice> best_of(const Strategy& strategy, const ConfigurationSpace& space,
                                            const SearchBudget& budget, SimulatedTimes& times, std::uint64_t seed = 1);

/// The first of a model's ranking of a space, which runs nothing.
[[nodiscard]] Choice first_of_model(ModelVariant variant, const ConfigurationSpace& space,
                                    const Calibration& calibration, const SimulatedTimes& times);

/// The strategy "shortlist" on a space: the bottleneck model's first, each simulated. `tries`: how many; empty: the
/// strategy's own number.
[[nodiscard]] std::optional<Choice> shortlisted(const ConfigurationSpace& space, SimulatedTimes& times,
                                                std::optional<std::int64_t> tries = {});

/// The same with so many tries, the fastest `again` of which are then judged by `closer` times, and its trials are these.
[[nodiscard]] std::optional<Choice> shortlisted_twice(const ConfigurationSpace& space, SimulatedTimes& times,
                                                      SimulatedTimes& closer, std::int64_t tries, std::size_t again);

/// How many configurations are simulated for a framework's choice. A run takes a simulation of a second's fraction, and a
/// framework that runs everything finds the best of its space, so that of such a space only the bottleneck model's first are
/// simulated.
struct FrameworkTries {
    std::int64_t of_all = 4;   ///< of a space that is run as a whole, or drawn from
    std::int64_t learned = 16; ///< of a learned search
};
/// A framework's choice, by framework_search(); nothing where it has none.
[[nodiscard]] std::optional<Choice> chosen_by(Framework framework, SimulatedTimes& times,
                                              const FrameworkTries& tries = {});

} // namespace texelscope::experiments
