#include "model/tmmodel/kernel_cost.hpp"

#include "base/error.hpp"

#include <cmath>

namespace texelscope::model {
namespace {

void require_positive(std::int64_t value, const char* what, const char* where)
{
    if (value <= 0) {
        throw bad_input(std::string(what) + " is not positive", where);
    }
}

std::int64_t occupancy_groups(const ModelKernel& kernel, const ModelDevice& device, ModelVariant variant)
{
    const std::int64_t side_by_side = std::int64_t{device.cores} * device.occupancy;
    const std::int64_t units =
        variant == ModelVariant::literal ? kernel.work_groups : kernel.work_groups * kernel.warps_per_group;
    return (units + side_by_side - 1) / side_by_side;
}

KernelCost cost_of_rounds(const ModelKernel& kernel)
{
    if (!kernel.rounds) {
        throw bad_input("the kernel has no rounds of reads", "kernel", "use another variant of the model");
    }
    const BottleneckCost found = bottleneck_cost(kernel.rounds->stream, kernel.rounds->grid, kernel.rounds->options);
    const double ns_per_cycle = 1000.0 / kernel.rounds->options.timing.clock_mhz;
    KernelCost cost;
    for (const double cycles : found.by_input) {
        cost.thread.push_back(Nanoseconds{cycles * ns_per_cycle / found.waves});
    }
    const Nanoseconds reads{found.cycles * ns_per_cycle};
    cost.warp = reads * (1 / found.waves);
    cost.kernel = reads + Nanoseconds{kernel.rounds->options.timing.launch_ns};
    cost.occupancy_groups = static_cast<std::int64_t>(std::ceil(found.waves));
    return cost;
}

} // namespace

ModelDevice model_device(const SimulationOptions& options)
{
    validate(options);
    return {.cache_lines = options.l1.lines(),
            .cores = options.cores,
            .warp_size = options.warp_size,
            .occupancy = occupancy(options).warps};
}

std::string to_string(ModelVariant variant)
{
    constexpr std::array names{"literal", "refined", "reuse-aware", "bottleneck"};
    return names[static_cast<std::size_t>(variant)];
}

ModelVariant parse_model_variant(const std::string& text)
{
    for (const ModelVariant variant : all_model_variants) {
        if (text == to_string(variant)) {
            return variant;
        }
    }
    throw bad_input("unknown variant '" + text + "'", "model", "use literal, refined, reuse-aware or bottleneck");
}

KernelCost predict(const ModelKernel& kernel, const ModelDevice& device, const Calibration& calibration,
                   ModelVariant variant)
{
    require_positive(kernel.work_groups, "the number of work-groups", "kernel");
    require_positive(kernel.warps_per_group, "the number of warps of a work-group", "kernel");
    require_positive(device.cores, "the number of cores", "device");
    require_positive(device.occupancy, "the occupancy", "device");

    if (variant == ModelVariant::bottleneck) {
        return cost_of_rounds(kernel);
    }
    const bool reuse_aware = variant == ModelVariant::reuse_aware;
    const LinearModel& thread_model = reuse_aware ? calibration.reuse_thread : calibration.thread;
    KernelCost cost;
    std::vector<WarpInput> warp_inputs;
    Nanoseconds thread{0};
    for (const ModelKernel::Input& input : kernel.inputs) {
        require_positive(input.items, "the number of work-items of a histogram", "kernel");
        const CrossBlockHistogram& histogram = reuse_aware ? input.fresh : input.histogram;
        cost.thread.push_back(thread_model.predict(histogram) * (1.0 / static_cast<double>(input.items)));
        thread += cost.thread.back();
        warp_inputs.push_back(input.warp);
    }
    cost.exponent = thrash_exponent(warp_inputs, device.cache_lines);
    cost.warp = thread * calibration.thrash.slowdown(cost.exponent);
    cost.occupancy_groups = occupancy_groups(kernel, device, variant);
    cost.kernel = cost.warp * static_cast<double>(cost.occupancy_groups);
    return cost;
}

} // namespace texelscope::model
