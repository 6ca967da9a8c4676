#pragma once

#include "base/stop.hpp"
#include "model/walks/measured_walks.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <span>

namespace texelscope::model {

/// Nanoseconds per read of one walk on a simulated device, as one work-item meets it that finds its L1 cold and everything else
/// in the next level: timed mode, one core, no arithmetic. Throws Interrupted.
[[nodiscard]] double simulated_walk_ns(const SimulationOptions& device, const Image& image,
                                       std::span<const Texel> texels, const StopToken& stop = {});

/// Measures walks on a simulated device. Every latency is multiplied by 1 + noise * z, with z from a normal distribution of
/// its own drawn by the seed. Throws bad_input where options or walks are invalid, Interrupted.
[[nodiscard]] MeasuredWalks measure_simulated(const SimulationOptions& device, Extent2D extent, Bytes bytes_per_texel,
                                              std::vector<TexelWalk> walks, double noise, std::uint64_t seed,
                                              const StopToken& stop = {});

} // namespace texelscope::model
