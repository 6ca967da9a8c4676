#include "devices/launch/launch_options.hpp"

#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/registers/register_estimate.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/timed/spill_code.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace texelscope::devices {
namespace {

std::int64_t work_items(const LoopNest& nest)
{
    return std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
}

/// 0 registers means that nothing is known of the kernel.
std::optional<int> known(int registers)
{
    return registers > 0 ? std::optional(registers) : std::nullopt;
}

} // namespace

Precision arithmetic_of(const LoopNest& nest, const DeviceProfile& device)
{
    return nest.arithmetic(device.simulation.machine.timing.half_lanes.has_value());
}

namespace {

/// Fills in what the compiler has made of the kernel, of which a work-item executes `run()`
/// operations of arithmetic. The compiler tells how many stores and loads of spilled registers the
/// text has, not where they stand: they are taken to run as often as its arithmetic on average.
template <class Run>
void add_compiled(KernelDemand& kernel, const CompiledKernel& made, const Run& run)
{
    kernel.registers_per_item = known(made.registers);
    const int written = made.spill_stores + made.spill_loads;
    if (kernel.registers_per_item && written > 0) {
        const int arithmetic =
            made.count(InstructionClass::multiply_add) + made.count(InstructionClass::arithmetic);
        // Each store is the first of a register's place in memory, at most.
        kernel.spilled_registers = made.spill_stores;
        kernel.spill_accesses = written * (arithmetic > 0 ? std::max(1.0, run() / arithmetic) : 1);
    }
}

/// Fills in what depends on the size of the warps, which the registers decide.
void add_warps(SimulationOptions& options, const DeviceProfile& device, const CompiledKernel* made,
               std::int64_t local_bytes, std::int64_t items)
{
    Machine& machine = options.machine;
    if (has_double_warps(options, items)) {
        machine = with_double_warps(machine);
    }
    if (made != nullptr) {
        options.kernel.compiled_warps =
            std::max(1, made->warps * made->warp_size / machine.warp_size);
    }
    if (!options.kernel.local_warps) { // unless the user has set it
        options.kernel =
            with_local_memory(options.kernel, device, local_bytes, items, machine.warp_size);
    }
}

} // namespace

KernelDemand with_registers(KernelDemand kernel, const DeviceProfile& device, int needed,
                            std::int64_t items)
{
    const Machine& machine = device.simulation.machine;
    int most = device.limits.registers_per_item.value_or(std::numeric_limits<int>::max());
    if (machine.spills == SpillRule::body && machine.register_rule == RegisterRule::half_above) {
        most = std::min(most, registers_taken(machine, most).value_or(most));
    }
    // Where work-groups are resident as a whole, one group must fit into the core's registers.
    if (machine.group_schedule == GroupSchedule::whole && machine.registers_per_core) {
        const std::int64_t in_warps = ceil_div(items, machine.warp_size) * machine.warp_size;
        const auto share = static_cast<int>(*machine.registers_per_core / in_warps);
        most = std::min(most, std::max(1, share / machine.register_step * machine.register_step));
    }
    const int kept = std::min(needed, most);
    kernel.registers_per_item = known(kept);
    kernel.spilled_registers = needed - kept;
    return kernel;
}

double cycles_of_operation(const Machine& machine, Precision arithmetic, bool written_out)
{
    const double half = arithmetic == Precision::fp16
                            ? machine.timing.alu_lanes.value_or(0) / *machine.timing.half_lanes
                            : 1;
    return half * (written_out ? machine.instructions.unroll_slowdown : 1);
}

KernelDemand with_local_memory(KernelDemand kernel, const DeviceProfile& device, std::int64_t bytes,
                               std::int64_t items, std::optional<int> warp_size)
{
    const Machine& machine = device.simulation.machine;
    kernel.local_warps = {};
    if (const auto groups = device.limits.groups_by_local_memory(bytes)) {
        const std::int64_t warps = std::max<std::int64_t>(1, *groups) *
                                   ceil_div(items, warp_size.value_or(machine.warp_size));
        kernel.local_warps =
            static_cast<int>(std::min<std::int64_t>(warps, machine.warps_per_core));
    }
    return kernel;
}

KernelDemand kernel_demand(const LoopNest& nest, const DeviceProfile& device)
{
    return options_for(nest, device).kernel;
}

SimulationOptions options_for(const LoopNest& nest, const DeviceProfile& device)
{
    SimulationOptions options = device.simulation;
    const Machine& machine = options.machine;
    KernelDemand& kernel = options.kernel;
    if (std::ranges::any_of(nest.inputs, [](const Operand& input) { return input.image.buffer; })) {
        kernel.buffers = buffer_path(device);
    }
    const Precision arithmetic = arithmetic_of(nest, device);
    kernel.operation = cycles_of_operation(machine, arithmetic, nest.written_out);
    const bool spills = machine.spills == SpillRule::body;
    const std::int64_t items = work_items(nest);
    const CompiledKernel* made = nullptr;
    if (!kernel.registers_per_item) { // unless the user has set them
        if (!device.compiler) {
            const RegisterEstimate needed = register_estimate(nest, device);
            kernel = with_registers(kernel, device,
                                    needed.registers + (spills ? needed.spilled : 0), items);
        } else {
            made = &device.compiler->of(opencl_text(nest, TexelBackend::native));
            add_compiled(kernel, *made,
                         [&] { return kernel.operation * operations_of(launch_of(nest).body); });
        }
    }
    add_warps(options, device, made, local_memory_bytes(nest, arithmetic), items);
    return options;
}

SimulationOptions options_for(const ForeignKernel& foreign, const DeviceProfile& device)
{
    SimulationOptions options = device.simulation;
    if (foreign.reads_buffers) {
        options.kernel.buffers = buffer_path(device);
    }
    const bool by_hand = options.kernel.registers_per_item.has_value();
    if (foreign.made != nullptr && !by_hand) {
        add_compiled(options.kernel, *foreign.made, [&] { return foreign.operations; });
    }
    add_warps(options, device, by_hand ? nullptr : foreign.made, foreign.local_bytes,
              foreign.items);
    return options;
}

void check_simulated(const LoopNest& nest, const DeviceProfile& device)
{
    if (reads_buffers(nest)) {
        (void)buffer_path(device);
    }
    const SimulationOptions options = options_for(nest, device);
    const Occupancy found =
        occupancy(options, ceil_div(work_items(nest), options.machine.warp_size));
    if (found.group_warps > found.warps && has_barriers(launch_of(nest).body)) {
        require_room_for_group(found, options);
    }
}

} // namespace texelscope::devices
