#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// Texels a second from the first level by their format: numbers of a texel (R, RG, RGBA) and their type. A format that the
/// device does not have is named in a note.
[[nodiscard]] ProbeResult probe_texel_formats(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
