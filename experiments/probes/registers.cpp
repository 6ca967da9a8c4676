#include "experiments/probes/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

namespace texelscope {
namespace {

/// One work-group of whole warps, every work-item reading the same texel again and again.
ReadKernel same_texel_kernel(std::int64_t items, int registers)
{
    constexpr std::int64_t reads = 128;
    const Variable turn{slots::first_loop_slot, "turn", {0, reads - 1}};
    ReadKernel kernel;
    kernel.launch.kernel = "same_texel";
    kernel.launch.images = {{.name = "data", .extent = {4, 4}, .bytes_per_texel = Bytes{16}}};
    kernel.launch.local = {static_cast<std::int32_t>(items), 1, 1};
    kernel.launch.body = {Loop{turn, {AccessFunction{0, 0, 0}}}};
    kernel.registers = registers;
    return kernel;
}

/// The number in [low, high] with the most trailing zeros, the largest of several: sizes in hardware are round.
std::int64_t roundest(std::int64_t low, std::int64_t high)
{
    std::int64_t step = std::int64_t{1} << 40U;
    while (high / step * step < low) {
        step /= 2;
    }
    return high / step * step;
}

} // namespace

ProbeResult probe_registers(Target& target, const Known& known, const ProbeOptions& options)
{
    constexpr int most_registers = 256; // no GPU of the kind gives a work-item more
    constexpr double jump = 1.3;        // two groups of warps, one after the other, of which the second may be small
    const auto warp = static_cast<std::int64_t>(known.at("warp.size"));
    const std::int64_t most_warps = target.info().max_work_group / warp;
    ProbeResult result;
    std::int64_t low = 0; // of the pool, in registers
    std::int64_t high = std::int64_t{1} << 40U;
    int seen = 0;
    for (std::int64_t warps = 2; warps <= most_warps; ++warps) {
        check_interrupt(options);
        std::map<int, ProbePoint> by_registers;
        const auto time = [&](int registers) {
            auto& point = by_registers[registers];
            if (point.samples.empty()) {
                point = {static_cast<double>(registers),
                         target.run(same_texel_kernel(warps * warp, registers), options.samples)};
            }
            return median(point);
        };
        const double free = time(1);
        int fits = 1;
        int jumps = most_registers;
        if (time(jumps) > jump * free) {
            while (jumps - fits > 1) {
                const int middle = (fits + jumps) / 2;
                (time(middle) > jump * free ? jumps : fits) = middle;
            }
            low = std::max(low, fits * warps * warp);
            high = std::min(high, jumps * warps * warp - 1);
            ++seen;
        }
        ProbeCurve curve{fmt::format("{} warps", warps), "registers of a work-item", "time [ns]", false, {}, {}};
        for (auto& [registers, point] : by_registers) {
            curve.points.push_back(std::move(point));
        }
        if (jumps < most_registers) {
            curve.marks.push_back({fits + 0.5, double(fits), double(jumps), "no room for all warps"});
        }
        result.curves.push_back(std::move(curve));
    }
    if (seen == 0) {
        result.notes.push_back(fmt::format("{} warps of {} registers a work-item run together: no limit was seen",
                                           most_warps, most_registers));
    } else if (low > high) {
        result.notes.push_back("the jumps do not fit one pool of registers: a work-item's share may come in steps, or "
                               "something else limits the warps");
    } else {
        result.findings.push_back({"registers.per_core", double(roundest(low, high)), "",
                                   std::pair(double(low), double(high)),
                                   fmt::format("the pool that explains the jumps at all of {} numbers of warps; the "
                                               "roundest number of those from {} to {}",
                                               seen, low, high)});
    }
    return result;
}

} // namespace texelscope
