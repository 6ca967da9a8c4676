#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/study/study_request.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::workbench::tuning {

/// Cycles of every element of a space by the bottleneck model, and by the same with caches that
/// never miss and ports that never limit, which is about the least that it can take.
struct SpaceBounds {
    std::vector<double> expected;
    std::vector<double> least;
};
[[nodiscard]] SpaceBounds space_bounds(const Operator& op, const DeviceProfile& device,
                                       const ConfigurationSpace& space, const StopToken& stop = {});

/// A time by the timed simulator.
struct SimulatedElement {
    std::int64_t index = 0; ///< in the space
    double ns = 0;
};

struct ExhaustiveResult {
    std::vector<SimulatedElement> fastest; ///< the first few, ascending
    std::int64_t simulated = 0;            ///< of the space
    std::int64_t ruled_out = 0;            ///< by their least time
};

/// The fastest elements of a space by simulation. Elements whose least time, less a tenth (rounds
/// may overlap), is above the best time found so far are taken not to be the best, and left out (a
/// last wave that is hardly filled counts as a whole one in the least time, so that a launch of few
/// waves may be ruled out wrongly); the others are simulated, in the order in which the model
/// expects them, from a sample of `most_accesses` warp accesses (sampled_time()), and the first
/// `keep` again from one 50 times as large. Throws Interrupted.
[[nodiscard]] ExhaustiveResult exhaustive(const Operator& op, const DeviceProfile& device,
                                          const ConfigurationSpace& space,
                                          std::int64_t most_accesses, std::size_t keep,
                                          const Progress& progress = {},
                                          const StopToken& stop = {});

/// One configuration, from a sample of that size.
[[nodiscard]] double simulated_ns(const Operator& op, const DeviceProfile& device,
                                  const Schedule& schedule, std::int64_t most_accesses,
                                  const StopToken& stop = {});

} // namespace texelscope::workbench::tuning
