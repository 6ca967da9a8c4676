// Finds how many registers a core has. A group of several warps runs at once as long as the
// registers of all its work-items fit; beyond that, warps wait and the time jumps. The registers at
// which it jumps, for each number of warps, are explained by a pool (explain_jumps()).

#include "model/curves/register_pool.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace texelscope::workbench::probes {
namespace {

/// The number in [low, high] with the most trailing zeros, the largest of several: sizes in
/// hardware are round.
std::int64_t roundest(std::int64_t low, std::int64_t high)
{
    std::int64_t step = std::int64_t{1} << 40U;
    while (high / step * step < low) {
        step /= 2;
    }
    return high / step * step;
}

/// Times of one number of warps over the registers of a work-item, each measured once.
class Sweep {
public:
    Sweep(Target& target, const ProbeOptions& options, std::int64_t items)
        : target_(target), options_(options), items_(items)
    {}

    [[nodiscard]] double time(int registers)
    {
        check_stop(options_.stop);
        auto& point = points_[registers];
        if (point.samples.empty()) {
            point = {static_cast<double>(registers),
                     target_.run(same_texel_kernel(items_, registers), options_.samples)};
        }
        return median(point);
    }

    /// Where time jumps; nothing where it does not, or only creeps up.
    [[nodiscard]] std::optional<RegisterJump> jump(std::int64_t warps, int most_registers)
    {
        constexpr double sudden = 1.25;
        // With one register too many, few warps may have to wait: the jump may begin one register
        // earlier, by less than it takes in the end.
        constexpr double beginning = 1.05;
        const double free = time(1);
        int fits = 1;
        int jumps = most_registers;
        if (time(jumps) <= some_wait * free) {
            return std::nullopt;
        }
        // Bisection: `fits` runs at once, `jumps` does not.
        while (jumps - fits > 1) {
            const int middle = (fits + jumps) / 2;
            (time(middle) > some_wait * free ? jumps : fits) = middle;
        }
        if (fits > 2 && time(fits) > beginning * time(fits - 1)) {
            --fits;
        }
        if (time(std::min(jumps + 1, most_registers)) < sudden * time(fits)) {
            return std::nullopt;
        }
        return RegisterJump{warps, fits, jumps};
    }

    [[nodiscard]] ProbeCurve curve(std::int64_t warps) const
    {
        ProbeCurve curve{
            fmt::format("{} warps", warps), "registers of a work-item", "time [ns]", false, {}, {},
            "time over registers"};
        for (const auto& [registers, point] : points_) {
            curve.points.push_back(point);
        }
        return curve;
    }

private:
    Target& target_;
    const ProbeOptions& options_;
    std::int64_t items_;
    std::map<int, ProbePoint> points_;
};

std::string description(const RegisterPool& pool)
{
    if (pool.partitions == 1 && pool.step == 1 && pool.own == 0) {
        return "handed out one by one";
    }
    return fmt::format("in {} partition{}, handed out in steps of {}, {} of each work-item beside "
                       "those of the sweep",
                       pool.partitions, pool.partitions == 1 ? "" : "s", pool.step, pool.own);
}

} // namespace

ReadKernel same_texel_kernel(std::int64_t items, int registers)
{
    constexpr std::int64_t reads = 128;
    const Variable iteration{slots::first_loop_slot, "iteration", {0, reads - 1}};
    ReadKernel kernel;
    kernel.launch.kernel = "same_texel";
    kernel.launch.images = {{.name = "data", .extent = {4, 4}, .bytes_per_texel = Bytes{16}}};
    kernel.launch.local = {static_cast<std::int32_t>(items), 1, 1};
    kernel.launch.body = {Loop{iteration, {AccessFunction{0, 0, 0}}}};
    kernel.registers = registers;
    return kernel;
}

ProbeResult probe_registers(Target& target, const Known& known, const ProbeOptions& options)
{
    constexpr int most_registers = 256; // no GPU of the kind gives a work-item more
    const auto warp = static_cast<std::int64_t>(known.at("warp.size"));
    const std::int64_t most_warps = target.info().max_work_group / warp;
    ProbeResult result;
    std::vector<RegisterJump> jumps;
    for (std::int64_t warps = 2; warps <= most_warps; ++warps) {
        Sweep sweep(target, options, warps * warp);
        const std::optional<RegisterJump> jump = sweep.jump(warps, most_registers);
        result.curves.push_back(sweep.curve(warps));
        if (jump) {
            jumps.push_back(*jump);
            result.curves.back().marks.push_back({(jump->fits + jump->jumps) / 2.0,
                                                  double(jump->fits), double(jump->jumps),
                                                  "no room for all"});
        }
    }
    const std::vector<RegisterPool> pools = explain_jumps(jumps, warp);
    if (jumps.empty()) {
        result.notes.push_back(fmt::format(
            "up to {} warps of {} registers a work-item run together: no limit was seen",
            most_warps, most_registers));
    } else if (pools.empty()) {
        result.notes.push_back(
            "the jumps do not fit one pool of registers: something else limits the warps");
    } else {
        const RegisterPool& pool = pools.front();
        result.findings.push_back(
            {"registers.per_core", double(roundest(pool.low, pool.high)), "",
             fmt::format("the pool that explains the jumps at all of {} numbers of warps, {}; the "
                         "roundest number of "
                         "those from {} to {}",
                         jumps.size(), description(pool), pool.low, pool.high),
             std::pair(double(pool.low), double(pool.high))});
        result.findings.push_back(
            {"registers.step", double(pool.step), "", "registers of a work-item come in these"});
        if (pool.step == 32) {
            result.notes.push_back(
                "32 registers or 64, as on Arm's Mali: give the profile registers.rule=32-or-64");
        }
        result.findings.push_back(
            {"registers.partitions", double(pool.partitions), "", "of a core's registers"});
    }
    return result;
}

} // namespace texelscope::workbench::probes
