#include "workbench/machines/prepared_kernel.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "sim/options/occupancy.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace texelscope::workbench::machines {
namespace {

/// The nest that predictions take the code from: see bottleneck_kernel().
LoopNest code_nest(const Operator& op, Schedule schedule)
{
    if (schedule.stage == 0) {
        schedule.warp = {1, 1};
        schedule.group = {1, 1, 1};
    }
    return loop_nest(op, schedule);
}

bool has_half(const DeviceProfile& device)
{
    return device.simulation.machine.timing.half_lanes.has_value();
}

} // namespace

PreparedKernel::PreparedKernel(Operator op, const Schedule& schedule, const DeviceProfile& device)
    : op_(std::move(op)), schedule_(schedule)
{
    const LoopNest nest = loop_nest(op_, schedule_);
    check_limits(nest, device);
    launch_ = launch_of(buffers_as_rows(code_nest(op_, schedule_)));
    half_ = nest.arithmetic(true) == Precision::fp16;
    items_ = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    local_bytes_ = {local_memory_bytes(nest, nest.arithmetic(false)),
                    local_memory_bytes(nest, nest.arithmetic(true))};
}

void PreparedKernel::make_room(const std::set<std::string>& kinds)
{
    const auto is_new = [&](const std::string& kind) { return !reads_.contains(kind); };
    if (reads_.size() + static_cast<std::size_t>(std::ranges::count_if(kinds, is_new)) > kept_) {
        std::erase_if(reads_, [&](const auto& one) { return !kinds.contains(one.first); });
    }
}

PreparedKernel::Reads& PreparedKernel::reads_on(const PricedMachine& machine)
{
    if (const auto known = reads_.find(machine.reads); known != reads_.end()) {
        return known->second;
    }
    if (last_ && last_->first == machine.reads) {
        return last_->second;
    }
    ModelKernel kernel = bottleneck_kernel(op_, schedule_, machine.device);
    const KernelDemand& demand = kernel.rounds->options.kernel;
    registers_.try_emplace(
        {machine.device.simulation.machine.instructions.reads_in_flight, has_half(machine.device)},
        demand.registers_per_item.value_or(0) + demand.spilled_registers);
    Reads reads{std::move(kernel.rounds->stream), kernel.rounds->grid, demand.buffers};
    if (reads_.size() < kept_) {
        return reads_.emplace(machine.reads, std::move(reads)).first->second;
    }
    last_.emplace(machine.reads, std::move(reads));
    return last_->second;
}

int PreparedKernel::registers_on(const PricedMachine& machine)
{
    const std::pair key{machine.device.simulation.machine.instructions.reads_in_flight,
                        has_half(machine.device)};
    const auto known = registers_.find(key);
    if (known != registers_.end()) {
        return known->second;
    }
    const KernelDemand demand =
        bottleneck_kernel(op_, schedule_, machine.device).rounds->options.kernel;
    return registers_[key] = demand.registers_per_item.value_or(0) + demand.spilled_registers;
}

KernelDemand PreparedKernel::demand_on(const PricedMachine& machine, const BufferPath& buffers)
{
    const DeviceProfile& device = machine.device;
    KernelDemand demand = device.simulation.kernel;
    demand.buffers = buffers;
    const bool half = half_ && has_half(device);
    if (half) {
        const Timing& timing = device.simulation.machine.timing;
        demand.operation = timing.alu_lanes.value_or(0) / *timing.half_lanes;
    }
    if (!device.simulation.kernel.registers_per_item) {
        demand = with_registers(demand, device, registers_on(machine), items_);
    }
    return demand;
}

SimulationOptions PreparedKernel::options_on(const PricedMachine& machine,
                                             const BufferPath& buffers)
{
    SimulationOptions options = machine.device.simulation;
    options.kernel = demand_on(machine, buffers);
    if (has_double_warps(options, items_)) {
        options.machine = with_double_warps(options.machine);
    }
    if (!machine.device.simulation.kernel.local_warps) {
        const bool half = half_ && has_half(machine.device);
        options.kernel =
            with_local_memory(options.kernel, machine.device, local_bytes_[half ? 1 : 0], items_,
                              options.machine.warp_size);
    }
    return options;
}

std::optional<double> PreparedKernel::ns(const PricedMachine& machine, double clock)
{
    try {
        SimulationOptions options;
        BottleneckCost cost;
        if (machine.device.simulation.machine.spills == SpillRule::body) {
            // The code depends on what is spilled: nothing that was kept holds.
            const ModelKernel kernel = bottleneck_kernel(op_, schedule_, machine.device);
            options = kernel.rounds->options;
            options.machine = at_clock(std::move(options.machine), clock);
            cost = bottleneck_cost(kernel.rounds->stream, kernel.rounds->grid, options,
                                   machine.device.model);
        } else {
            Reads& reads = reads_on(machine);
            options = options_on(machine, reads.buffers);
            reads.stream.code = code_.on(launch_, options);
            options.machine = at_clock(std::move(options.machine), clock);
            cost = bottleneck_cost(reads.stream, reads.grid, options, machine.device.model);
        }
        const Timing& timing = options.machine.timing;
        const double ns_per_cycle = 1000.0 / timing.clock_mhz;
        const double ns = cost.cycles * ns_per_cycle + timing.launch_ns;
        return std::isfinite(ns) && ns > 0 ? std::optional(ns) : std::nullopt;
    } catch (const Error&) { // no room for a whole work-group, and the like
        return std::nullopt;
    }
}

KernelPrices::KernelPrices(const std::vector<MeasuredKernel>& kernels, const DeviceProfile& device,
                           int threads, const StopToken& stop)
    : kernels_(kernels.size()), threads_(threads)
{
    for (const MeasuredKernel& kernel : kernels) {
        clocks_.push_back(kernel.clock);
    }
    constexpr std::size_t all_kept = 16'000; // less than a gigabyte
    const std::size_t kept =
        std::clamp<std::size_t>(all_kept / std::max<std::size_t>(1, kernels.size()), 4, 64);
    parallel_for(
        kernels.size(), threads,
        [&](std::size_t i) {
            kernels_[i].emplace(kernels[i].op, kernels[i].schedule, device);
            kernels_[i]->keep(kept);
        },
        stop);
}

std::vector<std::vector<double>> KernelPrices::ns(const std::vector<PricedMachine>& machines,
                                                  const StopToken& stop)
{
    // Machines that read alike follow each other, so that their reads are worked out once.
    std::vector<std::size_t> order(machines.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t m) { return machines[m].reads; });
    std::set<std::string> kinds;
    for (const PricedMachine& machine : machines) {
        kinds.insert(machine.reads);
    }
    std::vector<std::vector<double>> times(machines.size(),
                                           std::vector<double>(kernels_.size(), 0.0));
    parallel_for(
        kernels_.size(), threads_,
        [&](std::size_t kernel) {
            kernels_[kernel]->make_room(kinds);
            for (const std::size_t m : order) {
                times[m][kernel] = kernels_[kernel]
                                       ->ns(machines[m], clocks_[kernel])
                                       .value_or(std::numeric_limits<double>::quiet_NaN());
            }
        },
        stop);
    return times;
}

} // namespace texelscope::workbench::machines
