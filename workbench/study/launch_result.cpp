#include "workbench/study/launch_result.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "sim/first_wave_time.hpp"
#include "sim/sampled_time.hpp"
#include "sim/simulate.hpp"
#include "workbench/study/memory_need.hpp"
#include "workbench/study/study.hpp"

#include <limits>
#include <utility>

namespace texelscope::workbench::study {

LaunchResult run_launch(std::string name, std::shared_ptr<const TraceSource> source,
                        std::string device_name, const SimulationOptions& options,
                        const Progress& progress, const StopToken& stop,
                        const std::optional<TimedLaunch>& in_time)
{
    const auto report = [&](const char* stage, double fraction) {
        tell(progress, stage, fraction, 1);
        check_stop(stop);
    };
    check_memory(launch_memory(source->images(), options), available_memory(), name);
    LaunchResult result{
        std::move(name), std::move(device_name), std::move(source), options, {}, {}, {}};
    result.options.mode.timed = false;
    report("simulating", 0);
    HeatMapResult heat = heat_maps(*result.source, result.options, {}, stop);
    result.simulation = std::move(heat.simulation);
    const std::span<const Image> images = result.source->images();
    for (std::size_t i = 0; i < images.size(); ++i) {
        StudyImage image{images[i], {}, {}, {}, {}};
        for (const HeatQuantity quantity : all_heat_quantities) {
            image.heat.push_back(heat.maps.map(static_cast<int>(i), quantity));
        }
        result.images.push_back(std::move(image));
    }
    report("simulating with time", 0.55);
    SimulationOptions timed = in_time ? in_time->options : result.options;
    timed.mode.timed = true;
    result.timed = simulate(in_time ? *in_time->source : *result.source, timed, {}, stop);
    return result;
}

Nanoseconds simulated_time(const LoopNest& nest, const DeviceProfile& device,
                           std::int64_t most_accesses, const StopToken& stop)
{
    return simulated_time(nest, device, SimulatedPart{most_accesses}, stop);
}

Nanoseconds simulated_time(const LoopNest& nest, const DeviceProfile& device,
                           const SimulatedPart& part, const StopToken& stop)
{
    const LoopNest rows = buffers_as_rows(nest);
    SimulationOptions options = options_for(rows, device);
    // Telling kinds of misses apart costs time, and does not change the result.
    options.mode.miss_kinds = false;
    if (part.first_wave) {
        return first_wave_time(launch_of(rows), options, stop);
    }
    const std::int64_t most =
        part.most_accesses == 0 ? std::numeric_limits<std::int64_t>::max() : part.most_accesses;
    return sampled_time(launch_of(rows), options, most, stop).time;
}

} // namespace texelscope::workbench::study
