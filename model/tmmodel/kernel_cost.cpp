#include "model/tmmodel/kernel_cost.hpp"

#include "base/error.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "sim/options/occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace texelscope::model {
namespace {

void require_positive(std::int64_t value, const char* what, const char* where)
{
    if (value <= 0) {
        throw bad_input(std::string(what) + " is not positive", where);
    }
}

void require_usable(const ModelKernel& kernel, const ModelDevice& device)
{
    require_positive(kernel.work_groups, "the number of work-groups", "kernel");
    require_positive(kernel.warps_per_group, "the number of warps of a work-group", "kernel");
    require_positive(device.cores, "the number of cores", "device");
    require_positive(device.occupancy, "the occupancy", "device");
}

/// Number of warps whose arithmetic a core carries out in a cycle, rounded to the nearest; 0: not
/// known.
int executing_warps(const Machine& machine)
{
    const auto lanes = machine.timing.alu_lanes;
    return lanes ? std::max(1, static_cast<int>(std::lround(*lanes / machine.warp_size))) : 0;
}

/// Warps in one occupancy group of a core: those for which it has registers, and execution units if
/// the reading counts these.
std::int64_t group_warps(const ModelDevice& device, Reading::Fits fits)
{
    const bool by_units = fits == Reading::Fits::registers_and_units && device.executing > 0;
    return by_units ? std::min(device.occupancy, device.executing) : device.occupancy;
}

/// L_g (equation 6).
std::int64_t occupancy_groups(const ModelKernel& kernel, const ModelDevice& device,
                              const Reading& reading)
{
    const std::int64_t group = group_warps(device, reading.fits);
    const std::int64_t cores = device.cores;
    switch (reading.counted) {
    case Reading::Counted::work_groups:
        return ceil_div(kernel.work_groups, cores * group);
    case Reading::Counted::warps:
        return ceil_div(kernel.work_groups * kernel.warps_per_group, cores * group);
    case Reading::Counted::warps_of_core:
        return ceil_div(ceil_div(kernel.work_groups, cores) * kernel.warps_per_group, group);
    }
    throw bad_input("unknown reading", "model");
}

/// The exponent of equation 3.
std::int64_t exponent_of(const ModelKernel& kernel, const ModelDevice& device,
                         const Reading& reading)
{
    const std::int64_t of_core =
        ceil_div(kernel.work_groups, std::int64_t{device.cores}) * kernel.warps_per_group;
    const std::int64_t sharing = reading.sharing == Reading::Sharing::warp
                                     ? 1
                                     : std::min(group_warps(device, reading.fits), of_core);
    std::vector<WarpInput> inputs;
    for (const ModelKernel::Input& input : kernel.inputs) {
        const std::int64_t width =
            reading.width == Reading::Width::distinct ? input.warp.w : kernel.warp_items;
        const std::int64_t walks = reading.distance == Reading::Distance::pattern ? 1 : input.tile;
        inputs.push_back({width * sharing * walks, input.warp.s});
    }
    return thrash_exponent(inputs, device.cache_lines);
}

/// L_t of one input (equation 1).
Nanoseconds thread_time(const ModelKernel::Input& input, const Calibration& calibration,
                        Reading::Strides strides)
{
    if (strides == Reading::Strides::fresh) {
        return calibration.reuse_thread.predict(input.fresh) *
               (1.0 / static_cast<double>(input.items));
    }
    const auto parts =
        strides == Reading::Strides::average ? input.histogram.accesses : input.items;
    return calibration.thread.predict(input.histogram) * (1.0 / static_cast<double>(parts));
}

KernelCost cost_of_rounds(const ModelKernel& kernel)
{
    if (!kernel.rounds) {
        throw bad_input("the kernel has no rounds of reads", "kernel",
                        "use another variant of the model");
    }
    const BottleneckCost found = bottleneck_cost(kernel.rounds->stream, kernel.rounds->grid,
                                                 kernel.rounds->options, kernel.rounds->model);
    const double ns_per_cycle = 1000.0 / kernel.rounds->options.machine.timing.clock_mhz;
    KernelCost cost;
    for (std::size_t i = 0; i < found.by_input.size(); ++i) {
        if (!kernel.rounds->stream.inputs[i].buffer) { // kernel.inputs has images only
            cost.thread.push_back(Nanoseconds{found.by_input[i] * ns_per_cycle / found.waves});
        }
    }
    const Nanoseconds reads{found.cycles * ns_per_cycle};
    cost.warp = reads * (1 / found.waves);
    cost.kernel = reads + Nanoseconds{kernel.rounds->options.machine.timing.launch_ns};
    cost.occupancy_groups = static_cast<std::int64_t>(std::ceil(found.waves));
    return cost;
}

} // namespace

ModelDevice model_device(const SimulationOptions& options)
{
    validate(options);
    return {.cache_lines = options.machine.l1().geometry.lines(),
            .cores = options.machine.cores,
            .warp_size = options.machine.warp_size,
            .occupancy = occupancy(options).warps,
            .executing = executing_warps(options.machine)};
}

Nanoseconds KernelCost::at(ModelLevel level) const
{
    switch (level) {
    case ModelLevel::thread:
        return std::accumulate(thread.begin(), thread.end(), Nanoseconds{0});
    case ModelLevel::warp:
        return warp;
    case ModelLevel::integrated:
        break;
    }
    return kernel;
}

KernelCost predict(const ModelKernel& kernel, const ModelDevice& device,
                   const Calibration& calibration, ModelVariant variant)
{
    if (variant == ModelVariant::bottleneck) {
        require_usable(kernel, device);
        return cost_of_rounds(kernel);
    }
    Reading reading = variant == ModelVariant::literal ? Reading{} : best_reading();
    if (variant == ModelVariant::reuse_aware) {
        reading.strides = Reading::Strides::fresh;
    }
    return predict(kernel, device, calibration, reading);
}

KernelCost predict(const ModelKernel& kernel, const ModelDevice& device,
                   const Calibration& calibration, const Reading& reading)
{
    require_usable(kernel, device);
    KernelCost cost;
    for (const ModelKernel::Input& input : kernel.inputs) {
        require_positive(input.items, "the number of work-items of a histogram", "kernel");
        cost.thread.push_back(thread_time(input, calibration, reading.strides));
    }
    cost.exponent = exponent_of(kernel, device, reading);
    cost.warp = cost.at(ModelLevel::thread) * calibration.thrash.slowdown(cost.exponent);
    cost.occupancy_groups = occupancy_groups(kernel, device, reading);
    cost.kernel = cost.warp * static_cast<double>(cost.occupancy_groups);
    return cost;
}

} // namespace texelscope::model
