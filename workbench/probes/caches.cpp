#include "workbench/probes/cache_levels.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace texelscope::workbench::probes {
namespace {

std::optional<double> found_value(const ProbeResult& result, const std::string& key)
{
    const auto found = std::ranges::find(result.findings, key, &ProbeFinding::key);
    return found == result.findings.end() ? std::nullopt : std::optional(found->value);
}

/// Whether two measurements of the same thing could give these values.
bool alike(double a, double b)
{
    return std::abs(std::log(a / b)) < std::log(1.15);
}

} // namespace

ProbeResult probe_texture_caches(Target& target, const Known&, const ProbeOptions& options)
{
    return probe_cache_levels(target, MemorySpace::image, options);
}

ProbeResult probe_buffer_caches(Target& target, const Known& known, const ProbeOptions& options)
{
    ProbeOptions enough = options;
    const auto l2 = value_of(known, "l2.capacity");
    const auto line = value_of(known, "l2.line");
    if (l2 && line && !known.contains("latency.l3.ns")) {
        // The last level that reads of both kinds go through is known from images; buffers need
        // chases over four times its lines to see it again. An image grows fourfold, maybe to just
        // below that.
        constexpr double times = 4, growth = 4, cell_bytes = 1024;
        const double bytes = growth * times * cell_bytes * *l2 / *line;
        enough.largest_chase = std::min<std::int64_t>(enough.largest_chase, std::llround(bytes));
    }
    ProbeResult result = probe_cache_levels(target, MemorySpace::buffer, enough);
    const auto capacity = found_value(result, "buffer.l1.capacity");
    const auto latency = found_value(result, "buffer.latency.l1.ns");
    if (!capacity || !latency) {
        return result;
    }
    if (!known.contains("l1.capacity")) {
        result.notes.push_back("whether the first level is the buffers' own or the second of "
                               "images follows from those of "
                               "images (texture-caches), which are not known");
        return result;
    }
    const auto l2_latency = value_of(known, "latency.l2.ns");
    const bool shared = l2 && l2_latency && alike(*capacity, *l2) && alike(*latency, *l2_latency);
    result.findings.push_back({"limits.buffer_l1", shared ? 0 : *capacity, "B",
                               shared ? "the first level has the capacity and the latency of the "
                                        "second of images: no other is "
                                        "in front of it"
                                      : "the first level, which is not the second of images"});
    return result;
}

} // namespace texelscope::workbench::probes
