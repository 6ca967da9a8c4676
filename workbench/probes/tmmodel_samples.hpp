#pragma once

#include "model/tmmodel/calibration_plan.hpp"
#include "workbench/probes/probe.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::workbench::probes {

/// The curve of tmmodel-walks that has the walks, by number.
inline constexpr std::string_view walks_curve = "latency of walks";

/// What a result of tmmodel-walks records about its walks so that they can be drawn again: sizes,
/// seed, and a checksum over all texels.
[[nodiscard]] std::map<std::string, double>
walks_given(const CalibrationOptions& plan, const std::vector<std::vector<Texel>>& walks);

struct MeasuredCalibration {
    CalibrationSamples samples;
    /// By walk: half the interquartile range of its samples over their median.
    std::vector<double> walk_spreads;
};
/// The samples that the fit of the model takes, from results of tmmodel-walks and tmmodel-warps:
/// medians of the measured times. `warps` null: samples without warps. `cache_lines`: C, the lines
/// of L1. Throws bad_input where a result lacks what these probes write, or its walks cannot be
/// drawn again.
[[nodiscard]] MeasuredCalibration
measured_calibration(const ProbeResult& walks, const ProbeResult* warps, std::int64_t cache_lines);

} // namespace texelscope::workbench::probes
