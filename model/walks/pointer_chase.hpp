#pragma once

#include "sim/options/options.hpp"
#include "traces/image.hpp"
#include "traces/trace_source.hpp"

#include <memory>
#include <span>

namespace texelscope::model {

/// The device as a kernel of one work-item meets it that does nothing but read, each read once the one before has come
/// back: timed, one core (further ones would only cost memory), no arithmetic between two reads.
[[nodiscard]] SimulationOptions chase_options(SimulationOptions device);

/// That kernel's trace: the texels in order, `passes` times over.
[[nodiscard]] std::unique_ptr<TraceSource> chase_source(const Image& image, std::span<const Texel> texels,
                                                        int passes = 1);

} // namespace texelscope::model
