#include "model/tmmodel/calibration_plan.hpp"

#include "base/error.hpp"
#include "model/tmmodel/fresh_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace texelscope::model {
namespace {

void require_valid(const CalibrationOptions& options)
{
    validate(options.strides);
    if (options.extent.width <= 0 || options.extent.height <= 0 ||
        options.bytes_per_texel.value <= 0) {
        throw bad_input("the image of the walks is empty", "calibration");
    }
    if (options.walks < 8 || options.steps < 2) {
        throw bad_input("too few walks or steps", "calibration",
                        "take at least 8 walks of 2 steps");
    }
}

std::int64_t steps_of(int lanes, std::int64_t max_steps)
{
    constexpr std::int64_t least = 256;
    return std::min(max_steps, std::max(least, (max_steps + lanes - 1) / lanes));
}

} // namespace

std::vector<std::vector<Texel>> calibration_walks(const CalibrationOptions& options)
{
    require_valid(options);
    std::mt19937_64 random(options.seed);
    std::vector<std::vector<Texel>> walks;
    for (int i = 0; i < options.walks; ++i) {
        const StrideDistribution distribution = draw_distribution(random, options.strides);
        walks.push_back(walk(random, distribution, options.extent, options.steps));
    }
    return walks;
}

std::int64_t streamed_texels(Bytes l2, const CalibrationOptions& options)
{
    const std::int64_t footprint = std::min(l2.value / 4 * 5, options.most_streamed.value);
    return std::max<std::int64_t>(1024, footprint / options.bytes_per_texel.value);
}

std::vector<CalibrationStream> calibration_streams(int warp_size, std::int64_t max_steps,
                                                   Bytes bytes_per_texel)
{
    std::vector<CalibrationStream> streams;
    for (const StreamPattern& pattern : stream_patterns) {
        for (const int lanes : growing_widths(warp_size)) {
            streams.push_back({pattern,
                               {.lanes = lanes,
                                .steps = steps_of(lanes, max_steps),
                                .max_lanes = warp_size,
                                .max_steps = max_steps,
                                .bytes_per_texel = bytes_per_texel}});
        }
    }
    return streams;
}

CalibrationSamples calibration_samples(const std::vector<std::vector<Texel>>& walks,
                                       std::span<const double> walk_ns,
                                       const std::vector<CalibrationStream>& streams,
                                       std::span<const double> stream_ns, std::int64_t cache_lines)
{
    if (walk_ns.size() != walks.size() || stream_ns.size() != streams.size()) {
        throw bad_input(fmt::format("{} times of {} walks and {} of {} streams", walk_ns.size(),
                                    walks.size(), stream_ns.size(), streams.size()),
                        "calibration", "measure all of them");
    }
    CalibrationSamples samples;
    samples.cache_lines = cache_lines;
    for (std::size_t i = 0; i < walks.size(); ++i) {
        samples.walks.push_back({cross_block_histogram(walks[i]), Nanoseconds{walk_ns[i]}});
        samples.fresh_walks.push_back(
            {fresh_block_histogram(walks[i], cache_lines), Nanoseconds{walk_ns[i]}});
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
        samples.warps.push_back(
            {streams[i].pattern, streams[i].shape.lanes, Nanoseconds{stream_ns[i]}});
    }
    return samples;
}

} // namespace texelscope::model
