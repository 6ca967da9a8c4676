#include "model/tmmodel/calibrate.hpp"

#include "model/walks/simulated_walks.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"

#include <utility>
#include <vector>

namespace texelscope::model {
namespace {

double ns_per_step(const TraceSource& source, const SimulationOptions& bench, std::int64_t steps,
                   const StopToken& stop)
{
    return simulate(source, bench, {}, stop).time(bench.machine).value().value /
           static_cast<double>(steps);
}

} // namespace

Calibration calibrate_simulated(const SimulationOptions& device, const CalibrationOptions& options,
                                const Progress& progress, const StopToken& stop)
{
    validate(device);
    const SimulationOptions bench = chase_options(device);
    const Machine& machine = bench.machine;
    const Bytes behind = machine.goes_past_l1() ? machine.last_level().geometry.capacity : Bytes{0};
    const std::vector<std::vector<Texel>> walks = calibration_walks(options);
    const std::vector<CalibrationStream> streams = calibration_streams(
        bench.machine.warp_size, streamed_texels(behind, options), options.bytes_per_texel);
    const auto total = static_cast<double>(walks.size() + streams.size());
    double done = 0;
    const auto one_done = [&] {
        if (stop && stop()) {
            throw Interrupted{};
        }
        if (progress) {
            progress("calibrating", ++done / total);
        }
    };

    const Image image{
        .name = "data", .extent = options.extent, .bytes_per_texel = options.bytes_per_texel};
    std::vector<double> walk_ns;
    for (const std::vector<Texel>& texels : walks) {
        walk_ns.push_back(ns_per_step(*chase_source(image, texels), bench, options.steps, stop));
        one_done();
    }
    std::vector<double> stream_ns;
    for (const auto& [pattern, shape] : streams) {
        stream_ns.push_back(ns_per_step(*make_trace_source(growing_warp_launch(pattern, shape)),
                                        bench, shape.steps, stop));
        one_done();
    }
    return fit_calibration(calibration_samples(walks, walk_ns, streams, stream_ns,
                                               bench.machine.l1().geometry.lines()),
                           options.regression, options.seed);
}

} // namespace texelscope::model
