#pragma once

#include "sim/options/options.hpp"
#include "traces/image.hpp"

#include <optional>
#include <span>
#include <string>

namespace texelscope::workbench::study {

/// What a simulation with all heat maps of these images takes at most, about: the maps, twice while
/// they are handed over, and the simulator's tables.
[[nodiscard]] Bytes launch_memory(std::span<const Image> images, const SimulationOptions& options);

/// What this process can still get without swapping: of the machine, and of the control group that
/// it runs in. Nothing where the system does not say.
[[nodiscard]] std::optional<Bytes> available_memory();

/// Throws bad_input, with both sizes and what to do, where more is needed than there is. `where`:
/// what needs it.
void check_memory(Bytes needed, std::optional<Bytes> available, const std::string& where);

} // namespace texelscope::workbench::study
