#pragma once

#include "experiments/papers/choices.hpp"
#include "model/tmmodel/calibration.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace texelscope::experiments {

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
    std::array<std::optional<TimedChoice>, all_frameworks.size()>
        frameworks; ///< nothing: not asked for, it does not run the operator, or none of its configurations can run

    /// A framework's time over ours.
    [[nodiscard]] std::optional<double> speedup(Framework framework,
                                                TimedChoice ComparedChoices::*ours = &ComparedChoices::shortlist) const;
};

/// Our choices are from configuration_space(), the frameworks' from framework_search(). Throws Interrupted, and bad_input
/// where no configuration fits the device.
[[nodiscard]] ComparedChoices compare_choices(const Operator& op, const DeviceProfile& device,
                                              const Calibration& calibration, std::span<const Framework> frameworks,
                                              const CompareOptions& options = {}, const StopToken& stop = {});

} // namespace texelscope::experiments
