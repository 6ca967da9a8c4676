#pragma once

#include "experiments/shared/choices.hpp"
#include "experiments/shared/fastest_of_space.hpp"
#include "model/tmmodel/calibration.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.4 with figure 9: how much of the gain comes from the tile and how much from
// patterns, and what is left to exhaustive search.

/// The versions of figure 9; each predicted version comes once for each predictor.
enum class GainStep {
    base,         ///< rows, no tile, natural lanes, the best work-group
    tile,         ///< TMM-T: tile and work-group predicted, by the shortlist
    literal_tile, ///< the same by the model as printed
    all,          ///< TMM: patterns and warp shape as well, by the shortlist
    literal_all,  ///< the same by the model as printed
    exhaustive,   ///< the best of all (fastest_of_space())
};
inline constexpr std::array all_gain_steps{GainStep::base,         GainStep::tile,
                                           GainStep::literal_tile, GainStep::all,
                                           GainStep::literal_all,  GainStep::exhaustive};
[[nodiscard]] std::string to_string(GainStep step);

struct GainBreakdown {
    std::string kernel; ///< as in the paper
    Operator op;
    std::int64_t space = 0;
    std::int64_t tried = 0; ///< configurations that were simulated or run for the best of all
    std::array<Nanoseconds, all_gain_steps.size()> times{};

    [[nodiscard]] Nanoseconds time(GainStep step) const
    {
        return times[static_cast<std::size_t>(step)];
    }
    /// The speed-up of a version over the base version.
    [[nodiscard]] double speedup(GainStep step) const { return time(GainStep::base) / time(step); }
};

struct GainOptions {
    /// Warp accesses of a simulation (sampled_time()): of each run of a search, and of each choice,
    /// 50 times as many, as exhaustive() takes.
    std::int64_t sample = 1'500;
    std::int64_t close_sample = 75'000;
    FastestOptions fastest = {};
};

/// Times of the versions, each choice timed once more, closely. No time is below that of
/// `exhaustive`.
[[nodiscard]] GainBreakdown
measure_gains(const std::string& kernel, const Operator& op, const ExperimentDevice& device,
              const Calibration& calibration, const GainOptions& options = {},
              const Progress& progress = {}, const StopToken& stop = {});

/// What the paper says of figure 9, decided by the data.
[[nodiscard]] std::vector<Finding> gain_breakdown_findings(const std::vector<GainBreakdown>& gains);

[[nodiscard]] PanelPlot gain_breakdown_plot(const std::vector<GainBreakdown>& gains,
                                            const ExperimentDevice& device);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_gain_breakdown;

} // namespace texelscope::experiments
