#pragma once

#include "cli/command.hpp"
#include "experiments/render/miss_ratio_plot.hpp"
#include "sim/reuse/reuse_distance.hpp"
#include "traces/image.hpp"

#include <optional>
#include <span>
#include <string>

namespace texelscope::cli {

/// Reuse distances of a launch, to be shown.
struct ReuseReport {
    ReuseDistances distances;
    std::optional<int> depth; ///< up to which they were counted
    MissRatioCurves curves;   ///< of each image, and together where there are several
};

[[nodiscard]] ReuseReport reuse_report(ReuseDistances distances, std::optional<int> depth,
                                       std::span<const Image> images);

/// Histograms and curves, of everything together and of each image.
[[nodiscard]] ordered_json to_json(const ReuseReport& report);

/// A table with a column for each image, and one for all together where there are several.
[[nodiscard]] std::string distances_text(const ReuseReport& report);

/// Miss ratios at capacities of powers of two, and at that of L1.
[[nodiscard]] std::string miss_ratios_text(const ReuseReport& report);

/// The curves as bytes of a .png, .svg or .csv file, whichever the name ends in. Throws bad_input for another ending.
[[nodiscard]] std::string miss_ratio_file(const MissRatioCurves& curves, const std::string& path);

} // namespace texelscope::cli
