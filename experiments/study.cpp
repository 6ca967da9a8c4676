#include "experiments/study.hpp"

#include "codegen/kernel_source.hpp"
#include "model/item_histogram.hpp"
#include "sim/heat_maps.hpp"
#include "traces/launch_source.hpp"

#include <algorithm>
#include <utility>

namespace texelscope {

SimulationOptions options_for(const LoopNest& nest, const DeviceProfile& device)
{
    SimulationOptions options = device.simulation;
    if (options.registers_per_item == 0) { // unless the user knows better
        options.registers_per_item = nest.registers_per_item;
    }
    const std::int64_t reads = reads_per_item(launch_of(nest).body);
    if (options.timing.alu_lanes > 0 && options.timing.alu_cycles_per_step == 0 && reads > 0) {
        // Multiply-adds of a warp between two of its reads, over those that the core does in a cycle.
        options.timing.alu_cycles_per_step =
            nest.multiply_adds_per_item / static_cast<double>(reads) * options.warp_size / options.timing.alu_lanes;
    }
    return options;
}

StudyResult run_study(const StudyRequest& request, const Progress& progress, const StopToken& stop)
{
    const auto report = [&](const char* stage, double fraction) {
        if (progress) {
            progress(stage, fraction);
        }
        if (stop && stop()) {
            throw Interrupted{};
        }
    };
    report("generating", 0);
    StudyResult result{request, loop_nest(request.op, request.schedule), {}, {}, {}, {}, {}, {}, {}, {}};
    check_limits(result.nest, request.device);
    result.kernel_text = opencl_text(result.nest, TexelBackend::native);
    result.options = options_for(result.nest, request.device);
    const Launch launch = launch_of(result.nest);
    const auto source = make_trace_source(launch);

    report("simulating", 0.05);
    result.options.timed = false;
    HeatMapResult heat = heat_maps(*source, result.options, {}, stop);
    result.simulation = std::move(heat.simulation);
    const auto texels = item_texels(*source, 0, 0);
    const std::vector<int> images = launch_images(result.nest);
    for (std::size_t i = 0; i < launch.images.size(); ++i) {
        const auto input = std::find(images.begin(), images.end(), static_cast<int>(i)) - images.begin();
        StudyImage image{launch.images[i],
                         request.schedule.patterns[static_cast<std::size_t>(input)],
                         {},
                         cross_block_histogram(texels[i])};
        for (const HeatQuantity quantity : all_heat_quantities) {
            image.heat.push_back(heat.maps.map(static_cast<int>(i), quantity));
        }
        result.images.push_back(std::move(image));
    }

    report("simulating with time", 0.3);
    SimulationOptions timed = result.options;
    timed.timed = true;
    result.timed = simulate(*source, timed, {}, stop);

    report("calibrating the model", 0.5);
    result.calibration =
        request.calibration ? *request.calibration : calibrate_profile(request.device, request.seed, stop);
    result.prediction = predict(request.op, request.schedule, request.device, result.calibration, stop);
    if (request.rank) {
        report("ranking", 0.7);
        const ConfigurationSpace space = configuration_space(request.op, request.device);
        constexpr std::size_t keep = 1000;
        result.ranking = rank_by_model(
            request.op, request.device, space, result.calibration, request.variant, keep,
            [&](double fraction) { report("ranking", 0.7 + 0.3 * fraction); }, stop);
    }
    report("done", 1);
    return result;
}

} // namespace texelscope
