#include "workbench/probes/measurements.hpp"
#include "workbench/probes/tmmodel_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

/// Steps that a lane makes. Images of real devices end somewhere: the column pattern is as high as
/// there are steps, the row pattern as wide.
std::int64_t max_steps(const TargetInfo& info, const Known& known, const ProbeOptions& options,
                       int warp_size)
{
    const CalibrationOptions plan;
    const auto l2 = value_of(known, "l2.capacity");
    const std::int64_t wanted =
        streamed_texels(l2 ? Bytes{static_cast<std::int64_t>(*l2)} : plan.most_streamed, plan);
    if (info.simulated) {
        return wanted;
    }
    const std::int64_t side = std::min(info.largest_image.width, info.largest_image.height);
    const std::int64_t bytes = options.largest_image / (plan.bytes_per_texel.value * warp_size);
    return std::max<std::int64_t>(1, std::min({wanted, side, bytes}));
}

std::vector<double> step_ns(Target& target, const CalibrationStream& stream, int samples)
{
    const auto run = [&](std::int64_t steps, int count) {
        StreamShape shape = stream.shape;
        shape.steps = steps;
        ReadKernel kernel;
        kernel.launch = growing_warp_launch(stream.pattern, shape);
        // The name of a kernel has to be an identifier of C.
        std::replace(kernel.launch.kernel.begin(), kernel.launch.kernel.end(), '-', '_');
        return target.run(kernel, count);
    };
    std::vector<double> times = run(stream.shape.steps, samples);
    // The time of one step is subtracted: it holds what a launch starts with.
    const bool real = !target.info().simulated && stream.shape.steps > 1;
    const double start = real ? median(run(1, samples)) : 0;
    for (double& ns : times) {
        ns =
            std::max(1e-3, (ns - start) / static_cast<double>(stream.shape.steps - (real ? 1 : 0)));
    }
    return times;
}

} // namespace

ProbeResult probe_tmmodel_warps(Target& target, const Known& known, const ProbeOptions& options)
{
    const auto warp_size = static_cast<int>(known.at("warp.size"));
    const std::int64_t steps = max_steps(target.info(), known, options, warp_size);
    const CalibrationOptions plan;
    ProbeResult result;
    result.given = {{"streams.warp_size", warp_size},
                    {"streams.max_steps", static_cast<double>(steps)}};
    for (const CalibrationStream& stream :
         calibration_streams(warp_size, steps, plan.bytes_per_texel)) {
        check_stop(options.stop);
        if (stream.shape.lanes == 1) {
            result.curves.push_back(
                {std::string(stream.pattern.name), "lanes of the warp", "time of a step [ns]"});
        }
        result.curves.back().points.push_back(
            {static_cast<double>(stream.shape.lanes), step_ns(target, stream, options.samples)});
    }
    const auto capacity = value_of(known, "l1.capacity");
    const auto line = value_of(known, "l1.line");
    for (std::size_t i = 0; i < result.curves.size(); ++i) {
        ProbeCurve& curve = result.curves[i];
        const int s = stream_patterns.at(i).reuse_distance;
        if (capacity && line && s > 0) {
            const double full = *capacity / *line / s;
            curve.marks.push_back({full, full, full, "reuse distance x lanes = lines of L1"});
        }
        const double one = median(curve.points.front());
        const double all = median(curve.points.back());
        result.findings.push_back(
            {"scaling." + curve.name, one / all, "",
             fmt::format("throughput of {} lanes over {} times that of one: a step takes {:.4g} "
                         "ns, that of one lane {:.4g} ns",
                         warp_size, warp_size, all, one)});
    }
    return result;
}

} // namespace texelscope::workbench::probes
