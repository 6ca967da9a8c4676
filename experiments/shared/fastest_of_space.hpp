#pragma once

#include "experiments/shared/choices.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace texelscope::experiments {

/// How much is looked at for the fastest configuration of a space.
struct FastestOptions {
    /// Of the fastest, how many are timed again: by a longer simulation, or by more runs.
    std::size_t again = 8;
    /// On a real device, where each kernel has to be built: how many of the bottleneck model's
    /// first are run (at least one), and how many of the others, drawn at random.
    std::size_t first = 512;
    std::size_t drawn = 256;
};

/// The fastest configuration of a space that is known.
struct FastestOfSpace {
    std::int64_t index = 0; ///< in the space
    Nanoseconds time{0};
    std::int64_t tried = 0; ///< configurations that were simulated or run to find it
};
/// On a simulated device by exhaustive(), with samples as large as those of `times`, which rules
/// out what cannot be the fastest. On a real one the fastest of a part of the space, by `times`,
/// and then by `closer`, which measures the same again; both are of the same operator and device.
/// Throws bad_input where none of that part runs; Interrupted.
[[nodiscard]] FastestOfSpace fastest_of_space(const ConfigurationSpace& space, KernelTimes& times,
                                              KernelTimes& closer,
                                              const FastestOptions& options = {},
                                              const Progress& progress = {});
/// What is looked at on a real device, for the conditions of an experiment.
[[nodiscard]] std::string fastest_text(const FastestOptions& options);

} // namespace texelscope::experiments
