#pragma once

#include "base/stop.hpp"
#include "model/walks/measured_walks.hpp"
#include "sim/options/options.hpp"
#include "traces/image.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace texelscope::model {

/// The device as a kernel of one work-item meets it that does nothing but read, each read once the
/// one before has come back: timed, one core (further ones would only cost memory), no arithmetic
/// between two reads.
[[nodiscard]] SimulationOptions chase_options(SimulationOptions device);

/// That kernel's trace: the texels in order, `passes` times over.
[[nodiscard]] std::unique_ptr<TraceSource>
chase_source(const Image& image, std::span<const Texel> texels, int passes = 1);

/// Nanoseconds per read of one walk on a simulated device, as one work-item meets it that finds its
/// L1 cold and everything else in the next level: timed mode, one core, no arithmetic. Throws
/// Interrupted.
[[nodiscard]] double simulated_walk_ns(const SimulationOptions& device, const Image& image,
                                       std::span<const Texel> texels, const StopToken& stop = {});

/// Measures walks on a simulated device. Every latency is multiplied by 1 + noise * z, with z from
/// a normal distribution of its own drawn by the seed. Throws bad_input where options or walks are
/// invalid, Interrupted.
[[nodiscard]] MeasuredWalks measure_simulated(const SimulationOptions& device, Extent2D extent,
                                              Bytes bytes_per_texel, std::vector<TexelWalk> walks,
                                              double noise, std::uint64_t seed,
                                              const StopToken& stop = {});

} // namespace texelscope::model
