#pragma once

#include "codegen/nest/half_sums.hpp"
#include "devices/profile/device_profile.hpp"

#include <cstdint>
#include <optional>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen

namespace texelscope::devices {

struct CompiledKernel;

// What a device makes of a kernel: the only way from a loop nest and a profile to the options of a
// simulation.
//
// What goes in: a LoopNest (codegen) and a DeviceProfile. What comes out: SimulationOptions, which
// are the device's with a KernelDemand filled in; the simulator and the bottleneck model both take
// them. The order: check_limits() (limits.hpp) throws if the device cannot run the kernel at all;
// options_for() then finds what the kernel asks of a core; check_simulated() throws if a core has
// no room for it. Inside, kernel_demand() uses with_local_memory() and with_registers(); they are
// public for callers that know these figures without a nest.
//
// What always holds: values that the profile or the user sets for the kernel (`--set
// registers.per_item=...`) take precedence over estimates.

/// The precision in which the device does the kernel's arithmetic.
[[nodiscard]] Precision arithmetic_of(const LoopNest& nest, const DeviceProfile& device);

/// KernelDemand::operation of arithmetic in that precision, in a kernel whose text writes loops out
/// or does not.
[[nodiscard]] double cycles_of_operation(const Machine& machine, Precision arithmetic,
                                         bool written_out);

/// What the kernel asks of the device: its registers and those that spill, the warps that registers
/// and local memory leave room for, the path of its buffers, the rate of half-precision
/// instructions. If the profile has a compiler, that tells the registers and how many warps they
/// leave room for; else they are estimated. Throws as KernelCompiler::of() and buffer_path() do.
[[nodiscard]] KernelDemand kernel_demand(const LoopNest& nest, const DeviceProfile& device);

/// The options to simulate a nest with: those of the device, with the kernel_demand() of the nest,
/// and with warps of twice the size where it runs in such warps (has_double_warps()).
[[nodiscard]] SimulationOptions options_for(const LoopNest& nest, const DeviceProfile& device);

/// What is known of a kernel without its loop nest: one that was recorded.
struct ForeignKernel {
    const CompiledKernel* made = nullptr; ///< null: its registers are not known
    double operations = 0;                ///< of arithmetic, that a work-item executes on average
    std::int64_t local_bytes = 0;         ///< local memory of a work-group
    std::int64_t items = 1;               ///< work-items of a work-group
    bool reads_buffers = false;
};
/// The same of such a kernel. Without registers, they limit nothing and none spill, unless the user
/// has set them. Throws as buffer_path() does.
[[nodiscard]] SimulationOptions options_for(const ForeignKernel& foreign,
                                            const DeviceProfile& device);

/// Returns `kernel` with its registers filled in, if a work-item needs `needed` registers and a
/// work-group has `items` work-items: it gets as many as the device allows, and the rest spills.
[[nodiscard]] KernelDemand with_registers(KernelDemand kernel, const DeviceProfile& device,
                                          int needed, std::int64_t items);

/// Returns `kernel` with the number of warps that local memory leaves room for, if a work-group of
/// `items` work-items takes `bytes` of it. `warp_size`: of the warps that the kernel runs in; that
/// of the device if not given.
[[nodiscard]] KernelDemand with_local_memory(KernelDemand kernel, const DeviceProfile& device,
                                             std::int64_t bytes, std::int64_t items,
                                             std::optional<int> warp_size = {});

/// Checks that the kernel can be simulated on the device. Throws as buffer_path() does if the
/// kernel reads buffers, and bad_input if it has barriers and a core has no room for a whole
/// work-group (require_room_for_group()).
void check_simulated(const LoopNest& nest, const DeviceProfile& device);

} // namespace texelscope::devices
