#pragma once

#include "sim/options/options.hpp"
#include "traces/image.hpp"

#include <optional>
#include <span>
#include <string>

namespace texelscope::workbench::study {

/// About how many bytes a simulation with all heat maps of these images takes at most: the maps,
/// twice because they are copied when they are handed over, and the simulator's tables.
[[nodiscard]] Bytes launch_memory(std::span<const Image> images, const SimulationOptions& options);

/// Memory that this process can still get without swapping: what the machine has available, or what
/// its control group (cgroup) leaves if that is less. Nothing where the system does not say.
[[nodiscard]] std::optional<Bytes> available_memory();

/// Throws bad_input, with both sizes and a remedy, where `needed` exceeds `available`. `where`:
/// what needs the memory, for the message.
void check_memory(Bytes needed, std::optional<Bytes> available, const std::string& where);

} // namespace texelscope::workbench::study
