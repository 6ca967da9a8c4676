#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "model/tmmodel/calibration_plan.hpp"
#include "sim/options/options.hpp"

namespace texelscope::model {

/// Calibrates the model on a simulated device, the way that a real one is:
/// - beta: each walk draws its own distribution of strides; one work-item makes dependent reads
///   along it, in timed mode from empty caches; its time over its steps is the latency of an access
///   (TMModel 3.1, steps I to IV);
/// - D: one warp of 1, 2, .. warp size lanes streams in each of the five patterns (3.2.1). Only the
///   memory side of the device takes part: one core, and no ALU work between two reads.
///
/// The same options and seed give the same calibration. Throws bad_input where options are invalid,
/// Interrupted where `stop` says so.
[[nodiscard]] Calibration calibrate_simulated(const SimulationOptions& device,
                                              const CalibrationOptions& options = {},
                                              const Progress& progress = {},
                                              const StopToken& stop = {});

} // namespace texelscope::model
