#include "model/calibrate.hpp"

#include "model/fresh_blocks.hpp"
#include "model/pointer_chase.hpp"
#include "model/random.hpp"
#include "traces/error.hpp"
#include "traces/launch_source.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace texelscope {
namespace {

Nanoseconds per_step(const TraceSource& source, const SimulationOptions& bench, std::int64_t steps,
                     const StopToken& stop)
{
    return simulate(source, bench, {}, stop).time(bench).value() * (1.0 / static_cast<double>(steps));
}

std::unique_ptr<TraceSource> one_item(const std::vector<Texel>& texels, const CalibrationOptions& options)
{
    return chase_source({.name = "data", .extent = options.extent, .bytes_per_texel = options.bytes_per_texel}, texels);
}

void measure_walk(CalibrationSamples& samples, std::mt19937_64& random, const SimulationOptions& bench,
                  const CalibrationOptions& options, const StopToken& stop)
{
    const StrideDistribution distribution = draw_distribution(random, options.strides);
    const std::vector<Texel> texels = walk(random, distribution, options.extent, options.steps);
    const Nanoseconds time = per_step(*one_item(texels, options), bench, options.steps, stop);
    samples.walks.push_back({cross_block_histogram(texels), time});
    samples.fresh_walks.push_back({fresh_block_histogram(texels, samples.cache_lines), time});
}

/// Steps that `lanes` lanes need to read as many texels as one lane reads in `max_steps`, but not so few that the first
/// accesses, which find the caches empty and the memory idle, weigh much.
std::int64_t steps_of(int lanes, std::int64_t max_steps)
{
    constexpr std::int64_t least = 256;
    return std::min(max_steps, std::max(least, (max_steps + lanes - 1) / lanes));
}

WarpSample measure_warp(const StreamPattern& pattern, int lanes, const SimulationOptions& bench,
                        const CalibrationOptions& options, const StopToken& stop)
{
    const std::int64_t footprint = std::min(bench.l2.capacity.value / 4 * 5, options.most_streamed.value);
    const std::int64_t max_steps = std::max<std::int64_t>(1024, footprint / options.bytes_per_texel.value);
    const StreamShape shape{.lanes = lanes,
                            .steps = steps_of(lanes, max_steps),
                            .max_lanes = bench.warp_size,
                            .max_steps = max_steps,
                            .bytes_per_texel = options.bytes_per_texel};
    const std::unique_ptr<TraceSource> source = make_trace_source(growing_warp_launch(pattern, shape));
    return {pattern, lanes, per_step(*source, bench, shape.steps, stop)};
}

void require_valid(const CalibrationOptions& options)
{
    validate(options.strides);
    if (options.extent.width <= 0 || options.extent.height <= 0 || options.bytes_per_texel.value <= 0) {
        throw bad_input("the image of the walks is empty", "calibration");
    }
    if (options.walks < 8 || options.steps < 2) {
        throw bad_input("too few walks or steps", "calibration", "take at least 8 walks of 2 steps");
    }
}

} // namespace

Calibration calibrate_simulated(const SimulationOptions& device, const CalibrationOptions& options,
                                const CalibrationProgress& progress, const StopToken& stop)
{
    validate(device);
    require_valid(options);
    const SimulationOptions bench = chase_options(device);
    const std::vector<int> widths = growing_widths(bench.warp_size);
    const auto total = options.walks + static_cast<std::int64_t>(widths.size() * stream_patterns.size());
    std::int64_t done = 0;
    const auto one_done = [&] {
        if (stop && stop()) {
            throw Interrupted{};
        }
        if (progress) {
            progress(++done, total);
        }
    };

    std::mt19937_64 random(options.seed);
    CalibrationSamples samples;
    samples.cache_lines = bench.l1.lines();
    for (int i = 0; i < options.walks; ++i) {
        measure_walk(samples, random, bench, options, stop);
        one_done();
    }
    for (const StreamPattern& pattern : stream_patterns) {
        for (const int lanes : widths) {
            samples.warps.push_back(measure_warp(pattern, lanes, bench, options, stop));
            one_done();
        }
    }
    return fit_calibration(std::move(samples), options.regression, options.seed);
}

} // namespace texelscope
