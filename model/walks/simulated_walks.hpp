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

/// Options to simulate a pointer chase: one work-item that only reads, each read after the one
/// before has come back. They are the device's with timed mode, one core (further cores would only
/// cost memory), and no arithmetic between two reads.
[[nodiscard]] SimulationOptions chase_options(SimulationOptions device);

/// The trace of such a chase: the texels in order, `passes` times.
[[nodiscard]] std::unique_ptr<TraceSource>
chase_source(const Image& image, std::span<const Texel> texels, int passes = 1);

/// Nanoseconds per read of one walk on a simulated device. L1 starts cold, and everything is in the
/// next level; see chase_options(). Throws Interrupted.
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
