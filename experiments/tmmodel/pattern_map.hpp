#pragma once

#include "experiments/shared/choices.hpp"
#include "experiments/shared/experiment_result.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.2 with figure 8: which access patterns are best over the shapes of the output.

/// Which inputs of a choice are read in blocks, the others being in columns or rows.
enum class BlockedInputs { none, first, second, all };
inline constexpr std::array all_blocked_inputs{BlockedInputs::none, BlockedInputs::first,
                                               BlockedInputs::second, BlockedInputs::all};
[[nodiscard]] std::string to_string(BlockedInputs blocked);
/// Of one or two inputs; one that is in blocks is `all`. Throws bad_input for another number.
[[nodiscard]] BlockedInputs blocked_inputs(const std::vector<AccessPattern>& patterns);

/// The choice for one output.
struct PatternMapPoint {
    std::int64_t height = 1;
    std::int64_t width = 1;
    Schedule best;
    Nanoseconds best_time{0};
    Nanoseconds base_time{0}; ///< of the vanilla version with its best work-group

    [[nodiscard]] double speedup() const { return base_time / best_time; }
    [[nodiscard]] bool blocks() const
    {
        return blocked_inputs(best.patterns) != BlockedInputs::none;
    }
};
struct PatternMap {
    std::string kernel;
    std::vector<PatternMapPoint> points;
};

/// The four kernels of the figures 8 and 9, and the operator with an output of that height and
/// width: rows and columns of softmax and, with 256 products to a sum, of matmul; an image of 32
/// channels for the convolutions (3x3, stride 1).
[[nodiscard]] std::vector<std::string> mapped_kernels();
[[nodiscard]] Operator mapped_operator(const std::string& kernel, std::int64_t height,
                                       std::int64_t width);

/// The best of the bottleneck model's first `tries`, against that of the base version.
[[nodiscard]] PatternMapPoint measure_pattern(const std::string& kernel, std::int64_t height,
                                              std::int64_t width, const ExperimentDevice& device,
                                              std::int64_t sample, std::int64_t tries,
                                              const StopToken& stop = {});

/// What the paper says of figure 8, decided by the data.
[[nodiscard]] std::vector<Finding> pattern_map_findings(const std::vector<PatternMap>& maps);

[[nodiscard]] PanelPlot pattern_map_plot(const std::vector<PatternMap>& maps,
                                         const ExperimentDevice& device);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_pattern_map;

} // namespace texelscope::experiments
