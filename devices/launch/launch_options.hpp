#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "devices/profile/device_profile.hpp"

#include <cstdint>

namespace texelscope::devices {

// What a device makes of a kernel: the one way from a loop nest and a profile to what a simulation
// consumes. First check_limits() (limits.hpp) tells whether the device takes the kernel at all;
// then options_for() gives what it asks of a core; check_simulated() tells whether a core has room
// for it. What the profile or the user says of the kernel (`--set registers.per_item=...`) always
// holds.

/// The precision in which the device does the kernel's arithmetic.
[[nodiscard]] Precision arithmetic_of(const LoopNest& nest, const DeviceProfile& device);

/// What the kernel asks of the device: registers and what spills, warps that its compiler and local
/// memory leave room for, the way of its buffers, instructions in half precision. Registers, and
/// how many warps they leave room for, are what the device's compiler tells, where it has one; else
/// they are estimated. Throws as KernelCompiler::of() and buffer_path() do.
[[nodiscard]] KernelDemand kernel_demand(const LoopNest& nest, const DeviceProfile& device);

/// The options to simulate a nest with: the device's, and kernel_demand().
[[nodiscard]] SimulationOptions options_for(const LoopNest& nest, const DeviceProfile& device);

/// With the registers of a kernel that needs so many, in work-groups of so many work-items: what it
/// can have, and what spills.
[[nodiscard]] KernelDemand with_registers(KernelDemand kernel, const DeviceProfile& device,
                                          int needed, std::int64_t items);

/// With the warps that local memory leaves room for, where a work-group of so many work-items takes
/// that many bytes of it.
[[nodiscard]] KernelDemand with_local_memory(KernelDemand kernel, const DeviceProfile& device,
                                             std::int64_t bytes, std::int64_t items);

/// Throws as buffer_path() does where the kernel reads buffers, and bad_input where its work-items
/// meet and a core has no room for a work-group (require_room_for_group()).
void check_simulated(const LoopNest& nest, const DeviceProfile& device);

} // namespace texelscope::devices
