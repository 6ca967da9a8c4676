#pragma once

#include "experiments/probes/probe.hpp"

#include <cstdint>

namespace texelscope::experiments {

/// One work-group of that many work-items, each reading the same texel again and again with so many live registers.
[[nodiscard]] ReadKernel same_texel_kernel(std::int64_t items, int registers);

/// Times that of a kernel of few registers from which on some warps come after the others.
inline constexpr double some_wait = 1.3;

/// Registers of a core and of a work-item (Romou, figure 5): one work-group of dependent reads, with more and more registers
/// and warps. Where the registers do not suffice for all warps at once, the rest waits and the time jumps; for each number w
/// of warps the largest number r of registers without a jump says that the core has from r w to below (r + 1) w warps' worth
/// of them, or that a work-item cannot have more. Needs warp.size.
[[nodiscard]] ProbeResult probe_registers(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
