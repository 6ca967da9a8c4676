#include "model/walks/simulated_walks.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "sim/simulate.hpp"
#include "traces/formats/trace_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace texelscope::model {
namespace {

/// The device as one pointer chase meets it.
SimulationOptions bench_of(SimulationOptions device)
{
    device = chase_options(device);
    if (device.machine.goes_past_l1()) {
        // What every miss finds behind L1: a memory as fast as the next level.
        const CacheLevel next = device.machine.behind_l1();
        device.machine.timing.memory_latency = next.latency;
        device.machine.timing.memory_bytes_per_cycle = next.bytes_per_cycle;
        for (std::size_t level = 1; level < device.machine.caches.size(); ++level) {
            device.machine.caches[level].geometry.capacity = Bytes{0};
        }
    }
    return device;
}

} // namespace

SimulationOptions chase_options(SimulationOptions device)
{
    device.machine.cores = 1;
    device.mode.timed = true;
    device.mode.miss_kinds = false;
    device.kernel.alu_cycles_per_step = 0;
    return one_read_at_a_time(std::move(device));
}

std::unique_ptr<TraceSource> chase_source(const Image& image, std::span<const Texel> texels,
                                          int passes)
{
    std::vector<TraceRow> rows;
    rows.reserve(texels.size() * static_cast<std::size_t>(passes));
    for (int pass = 0; pass < passes; ++pass) {
        for (const Texel texel : texels) {
            rows.push_back({.step = static_cast<std::uint32_t>(rows.size()), .texel = texel});
        }
    }
    return make_trace_source("chase", {image}, std::move(rows));
}

double simulated_walk_ns(const SimulationOptions& device, const Image& image,
                         std::span<const Texel> texels, const StopToken& stop)
{
    const SimulationOptions bench = bench_of(device);
    const SimulationResult result = simulate(*chase_source(image, texels), bench, {}, stop);
    return result.time(bench.machine).value().value /
           static_cast<double>(std::max<std::size_t>(texels.size(), 1));
}

MeasuredWalks measure_simulated(const SimulationOptions& device, Extent2D extent,
                                Bytes bytes_per_texel, std::vector<TexelWalk> walks, double noise,
                                std::uint64_t seed, const StopToken& stop)
{
    validate(device);
    if (!(noise >= 0 && noise <= 0.3)) {
        throw bad_input("the noise is not from 0 to 0.3", "walks on a simulated device");
    }
    const Image image{.name = "data", .extent = extent, .bytes_per_texel = bytes_per_texel};
    std::mt19937_64 random(seed);
    MeasuredWalks measured{extent, bytes_per_texel, std::move(walks), {}};
    for (const TexelWalk& walk : measured.walks) {
        validate(walk, extent);
        measured.ns_per_read.push_back(simulated_walk_ns(device, image, walk.texels, stop) *
                                       (1 + noise * standard_normal(random)));
    }
    return measured;
}

} // namespace texelscope::model
