#include "model/simulated_walks.hpp"

#include "model/random.hpp"
#include "traces/error.hpp"
#include "traces/trace_rows.hpp"
#include "traces/trace_source.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace texelscope {
namespace {

/// Standard normal, after Box and Muller.
double normal(std::mt19937_64& random)
{
    const double radius = std::sqrt(-2 * std::log1p(-uniform_real(random)));
    return radius * std::cos(2 * std::numbers::pi * uniform_real(random));
}

/// The device as one pointer chase meets it.
SimulationOptions bench_of(SimulationOptions device)
{
    device.cores = 1;
    device.timed = true;
    device.timing.alu_cycles_per_step = 0;
    if (device.has_l2()) {
        // What every miss finds behind L1: a memory as fast as the L2.
        device.l2.capacity = Bytes{0};
        device.timing.memory_latency = device.timing.l2_latency;
        device.timing.memory_bytes_per_cycle = device.timing.l2_bytes_per_cycle;
    }
    return device;
}

} // namespace

MeasuredWalks measure_simulated(const SimulationOptions& device, Extent2D extent, Bytes bytes_per_texel,
                                std::vector<TexelWalk> walks, double noise, std::uint64_t seed, const StopToken& stop)
{
    validate(device);
    if (!(noise >= 0 && noise <= 0.3)) {
        throw bad_input("the noise is not from 0 to 0.3", "walks on a simulated device");
    }
    const SimulationOptions bench = bench_of(device);
    std::mt19937_64 random(seed);
    MeasuredWalks measured{extent, bytes_per_texel, std::move(walks), {}};
    for (const TexelWalk& walk : measured.walks) {
        std::vector<TraceRow> rows;
        rows.reserve(walk.texels.size());
        for (const Texel texel : walk.texels) {
            rows.push_back({.step = static_cast<std::uint32_t>(rows.size()), .texel = texel});
        }
        const auto source = make_trace_source(
            "walk", {{.name = "data", .extent = extent, .bytes_per_texel = bytes_per_texel}}, std::move(rows));
        const SimulationResult result = simulate(*source, bench, {}, stop);
        const double reads = static_cast<double>(std::max<std::size_t>(walk.texels.size(), 1));
        measured.ns_per_read.push_back(result.time(bench).value().value / reads * (1 + noise * normal(random)));
    }
    validate(measured);
    return measured;
}

} // namespace texelscope
