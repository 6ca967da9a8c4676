#include "workbench/machines/prepared_kernel.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/compilers/kernel_compiler.hpp"
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

} // namespace

PreparedKernel::PreparedKernel(Operator op, const Schedule& schedule, const DeviceProfile& device,
                               std::size_t kept_levels, const ImageCopies& copies)
    : op_(std::move(op)), schedule_(schedule),
      launch_(launch_of(buffers_as_rows(code_nest(op_, schedule_)))),
      streams_(launch_, kept_levels),
      registers_(known_compiler_gpu(device.name) != nullptr ? loop_nest(op_, schedule_)
                                                            : code_nest(op_, schedule_)),
      copies_(copies)
{
    const LoopNest nest = loop_nest(op_, schedule_);
    check_limits(nest, device);
    grid_ = bottleneck_kernel(op_, schedule_, device).rounds->grid;
    reads_buffers_ = reads_buffers(nest);
    half_ = nest.arithmetic(true) == Precision::fp16;
    written_out_ = nest.written_out;
    items_ = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    local_bytes_ = {local_memory_bytes(nest, nest.arithmetic(false)),
                    local_memory_bytes(nest, nest.arithmetic(true))};
}

ReadStream& PreparedKernel::stream_on(const PricedMachine& machine, const BufferPath& buffers)
{
    const auto known = stream_of_.find(machine.reads);
    if (known != stream_of_.end()) {
        return known->second;
    }
    SimulationOptions options = machine.device.simulation;
    options.kernel.buffers = buffers;
    constexpr std::size_t most = 8; // some 50 KB each
    if (stream_of_.size() == most) {
        stream_of_.erase(stream_of_.begin());
    }
    return stream_of_.emplace(machine.reads, streams_.on(options)).first->second;
}

int PreparedKernel::registers_on(const PricedMachine& machine)
{
    const RegisterEstimate needed = registers_.on(machine.device);
    const bool spills = machine.device.simulation.machine.spills == SpillRule::body;
    return needed.registers + (spills ? needed.spilled : 0);
}

bool PreparedKernel::half_on(const DeviceProfile& device) const
{
    return half_ && device.simulation.machine.timing.half_lanes.has_value();
}

KernelDemand PreparedKernel::demand_on(const PricedMachine& machine, const BufferPath& buffers)
{
    const DeviceProfile& device = machine.device;
    KernelDemand demand = device.simulation.kernel;
    demand.buffers = buffers;
    demand.operation =
        cycles_of_operation(device.simulation.machine,
                            half_on(device) ? Precision::fp16 : Precision::fp32, written_out_);
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
        options.kernel = with_local_memory(options.kernel, machine.device,
                                           local_bytes_[half_on(machine.device) ? 1 : 0], items_,
                                           options.machine.warp_size);
    }
    return options;
}

std::optional<double> PreparedKernel::ns(const PricedMachine& machine, double clock)
{
    try {
        const BufferPath buffers = reads_buffers_ ? buffer_path(machine.device) : BufferPath{};
        ReadStream& stream = stream_on(machine, buffers);
        SimulationOptions options = options_on(machine, buffers);
        stream.code = code_.on(launch_, options);
        options.machine = at_clock(std::move(options.machine), clock);
        const BottleneckCost cost = bottleneck_cost(stream, grid_, options, machine.device.model);
        const Timing& timing = options.machine.timing;
        const double ns_per_cycle = 1000.0 / timing.clock_mhz;
        const double ns =
            cost.cycles * ns_per_cycle + timing.launch_ns + copies_ns(copies_, timing);
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
    constexpr std::size_t all_kept = 30'000; // levels of cache: less than a gigabyte
    const std::size_t kept =
        std::clamp<std::size_t>(all_kept / std::max<std::size_t>(1, kernels.size()), 8, 128);
    parallel_for(
        kernels.size(), threads,
        [&](std::size_t i) {
            kernels_[i].emplace(kernels[i].op, kernels[i].schedule, device, kept,
                                foretold_copies(kernels[i]));
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
    std::vector<std::vector<double>> times(machines.size(),
                                           std::vector<double>(kernels_.size(), 0.0));
    parallel_for(
        kernels_.size(), threads_,
        [&](std::size_t kernel) {
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
