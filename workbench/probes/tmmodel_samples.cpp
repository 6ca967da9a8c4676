// Makes samples for TMModel's calibration from records of the probes. A record holds times and the
// seed of the walks, not the walks: these are drawn again, and a checksum of them tells whether
// this version draws the same.

#include "workbench/probes/tmmodel_samples.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace texelscope::workbench::probes {
namespace {

/// FNV-1a of all coordinates, of which 52 bits are kept: a double holds them.
double sum_of(const std::vector<std::vector<Texel>>& walks)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add = [&](std::int32_t number) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (static_cast<std::uint32_t>(number) >> shift & 0xffU)) * 0x100000001b3U;
        }
    };
    for (const std::vector<Texel>& walk : walks) {
        for (const Texel texel : walk) {
            add(texel.x);
            add(texel.y);
        }
    }
    return static_cast<double>(hash >> 12U);
}

double given(const ProbeResult& result, const std::string& name)
{
    if (const auto found = value_of(result.given, name)) {
        return *found;
    }
    throw bad_input("it does not say " + name, "record of a probe", "measure it again");
}

/// A whole number from 0 to `most`, which is far beyond what the probes write: walks are drawn by
/// it.
std::uint64_t whole(const ProbeResult& result, const std::string& name, double most)
{
    const double number = given(result, name);
    if (!(number >= 0 && number <= most && number == std::floor(number))) {
        throw bad_input("its " + name + " cannot be", "record of a probe", "measure it again");
    }
    return static_cast<std::uint64_t>(number);
}

const ProbeCurve& curve(const ProbeResult& result, std::string_view name)
{
    const auto found = std::ranges::find(result.curves, name, &ProbeCurve::name);
    if (found == result.curves.end()) {
        throw bad_input("there is no curve '" + std::string(name) + "'", "record of a probe",
                        "measure it again");
    }
    return *found;
}

// Half the distance between the quartiles, over the median.
double spread(std::vector<double> samples)
{
    if (samples.empty()) {
        throw bad_input("a walk has no samples", "record of tmmodel-walks", "measure it again");
    }
    std::sort(samples.begin(), samples.end());
    const std::size_t quarter = samples.size() / 4;
    return (samples[samples.size() - 1 - quarter] - samples[quarter]) / 2 / median(samples);
}

CalibrationOptions plan_of(const ProbeResult& walks)
{
    CalibrationOptions plan;
    // Bounds of what a record may say; the last one is the largest double below 2^64.
    constexpr double most_steps = 65'536, longest_side = 1 << 24,
                     most_seed = 18446744073709549568.0;
    plan.walks = static_cast<int>(
        whole(walks, "walks.count", static_cast<double>(curve(walks, walks_curve).points.size())));
    plan.steps = static_cast<std::int64_t>(whole(walks, "walks.steps", most_steps));
    plan.extent = {static_cast<std::int32_t>(whole(walks, "walks.width", longest_side)),
                   static_cast<std::int32_t>(whole(walks, "walks.height", longest_side))};
    plan.seed = whole(walks, "walks.seed", most_seed);
    return plan;
}

} // namespace

std::map<std::string, double> walks_given(const CalibrationOptions& plan,
                                          const std::vector<std::vector<Texel>>& walks)
{
    return {{"walks.count", static_cast<double>(walks.size())},
            {"walks.steps", static_cast<double>(plan.steps)},
            {"walks.width", static_cast<double>(plan.extent.width)},
            {"walks.height", static_cast<double>(plan.extent.height)},
            {"walks.seed", static_cast<double>(plan.seed)},
            {"walks.sum", sum_of(walks)}};
}

MeasuredCalibration measured_calibration(const ProbeResult& walks, const ProbeResult* warps,
                                         std::int64_t cache_lines)
{
    const std::vector<std::vector<Texel>> drawn = calibration_walks(plan_of(walks));
    if (given(walks, "walks.sum") != sum_of(drawn)) {
        throw bad_input("its seed gives other walks than those that were measured",
                        "record of tmmodel-walks", "measure it again with this version");
    }
    MeasuredCalibration out;
    std::vector<double> walk_ns;
    for (const ProbePoint& point : curve(walks, walks_curve).points) {
        walk_ns.push_back(median(point));
        out.walk_spreads.push_back(spread(point.samples));
    }
    std::vector<CalibrationStream> streams;
    std::vector<double> stream_ns;
    if (warps != nullptr) {
        constexpr double most_lanes = 4096, most_texels = 1 << 30;
        streams = calibration_streams(
            static_cast<int>(whole(*warps, "streams.warp_size", most_lanes)),
            static_cast<std::int64_t>(whole(*warps, "streams.max_steps", most_texels)), Bytes{16});
        for (const StreamPattern& pattern : stream_patterns) {
            for (const ProbePoint& point : curve(*warps, pattern.name).points) {
                stream_ns.push_back(median(point));
            }
        }
    }
    out.samples = calibration_samples(drawn, walk_ns, streams, stream_ns, cache_lines);
    return out;
}

} // namespace texelscope::workbench::probes
