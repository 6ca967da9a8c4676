#include "model/kernel_cost.hpp"

#include "traces/error.hpp"

namespace texelscope {
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

} // namespace

std::string to_string(ModelVariant variant)
{
    return variant == ModelVariant::literal ? "literal" : "refined";
}

ModelVariant parse_model_variant(const std::string& text)
{
    for (const ModelVariant variant : {ModelVariant::literal, ModelVariant::refined}) {
        if (text == to_string(variant)) {
            return variant;
        }
    }
    throw bad_input("unknown variant '" + text + "'", "model", "use literal or refined");
}

KernelCost predict(const ModelKernel& kernel, const ModelDevice& device, const Calibration& calibration,
                   ModelVariant variant)
{
    require_positive(kernel.work_groups, "the number of work-groups", "kernel");
    require_positive(kernel.warps_per_group, "the number of warps of a work-group", "kernel");
    require_positive(device.cores, "the number of cores", "device");
    require_positive(device.occupancy, "the occupancy", "device");

    KernelCost cost;
    std::vector<WarpInput> warp_inputs;
    Nanoseconds thread{0};
    for (const ModelKernel::Input& input : kernel.inputs) {
        require_positive(input.items, "the number of work-items of a histogram", "kernel");
        cost.thread.push_back(calibration.thread.predict(input.histogram) * (1.0 / static_cast<double>(input.items)));
        thread += cost.thread.back();
        warp_inputs.push_back(input.warp);
    }
    cost.exponent = thrash_exponent(warp_inputs, device.cache_lines);
    cost.warp = thread * calibration.thrash.slowdown(cost.exponent);
    cost.occupancy_groups = occupancy_groups(kernel, device, variant);
    cost.kernel = cost.warp * static_cast<double>(cost.occupancy_groups);
    return cost;
}

} // namespace texelscope
