#include "workbench/probes/tmmodel_occupancy.hpp"

#include "base/error.hpp"
#include "model/curves/change_points.hpp"
#include "model/curves/periodic_staircase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

/// Registers of a work-item that are tried; those that the reads need are added to them.
constexpr std::array register_counts{32, 64, 96, 128, 192};
/// Most warps of a work-group, and most work-groups of one warp on a core.
constexpr int most_warps = 32;

Launch launch_of(std::int32_t items, std::int32_t groups, Extent2D extent)
{
    Launch launch;
    launch.kernel = "occupancy";
    launch.local = {items, 1, 1};
    launch.groups = {groups, 1, 1};
    launch.images = {{.name = "data", .extent = extent, .bytes_per_texel = Bytes{16}}};
    return launch;
}

/// Every work-item reads the same rows, texel after texel.
ReadKernel same_rows(std::int32_t items, std::int32_t groups, int registers, std::int64_t rows)
{
    constexpr std::int64_t width = 256;
    const std::int64_t reads = rows * width;
    const Variable step{slots::first_loop_slot, "r", {0, reads - 1}};
    const IndexExpr r(step);
    ReadKernel kernel;
    kernel.launch = launch_of(items, groups, {width, static_cast<std::int32_t>(rows)});
    kernel.launch.body = {Loop{step, {AccessFunction{0, mod(r, width), floor_div(r, width)}}}};
    kernel.registers = registers;
    // TMModel's function of what was read; it is short, so that it hides behind the reads.
    kernel.multiply_adds = 4;
    return kernel;
}

/// Each warp of one work-group reads rows of a warp's width: all the same, or each its own. In rows
/// of their own, warps can find nothing that another has fetched; in the same rows they can.
ReadKernel rows_of_warps(int warp, int warps, bool own)
{
    constexpr std::int64_t reads = 512;
    const Variable step{slots::first_loop_slot, "r", {0, reads - 1}};
    ReadKernel kernel;
    kernel.launch = launch_of(warp * warps, 1, {warp, static_cast<std::int32_t>(reads * warps)});
    const IndexExpr item(
        work_item_variables(kernel.launch.groups, kernel.launch.local)[slots::local_x]);
    const IndexExpr first = own ? floor_div(item, warp) * reads : IndexExpr(0);
    kernel.launch.body = {
        Loop{step, {AccessFunction{0, mod(item, warp), first + IndexExpr(step)}}}};
    return kernel;
}

/// How many run together: the period of the steps, or where the one step is that can be seen.
struct Together {
    double count;
    double low, high;
    std::string how;
};
std::optional<Together> together(const std::vector<ProbePoint>& points)
{
    constexpr std::size_t least_points = 6; // two plateaus
    if (points.size() < least_points) {
        return std::nullopt;
    }
    if (const auto steps = find_period(points)) {
        return Together{double(steps->period), double(steps->low), double(steps->high),
                        fmt::format("the time rises in steps of that (probability {:.3f})",
                                    steps->probability)};
    }
    ChangePointOptions plateaus;
    plateaus.ramps = false;
    for (const ChangePoint& change : find_change_points(points, plateaus).changes) {
        constexpr double jump = 1.25; // a second occupancy group may be small, and quick
        if (change.after > jump * change.before) {
            // between x and x + 1 of them
            const auto whole = [](double x) { return std::floor(x); };
            return Together{whole(change.place.x), whole(change.place.low),
                            whole(change.place.high),
                            fmt::format("one more takes {:.2f} times as long (p {:.2g})",
                                        change.after / change.before, change.p_value)};
        }
    }
    return std::nullopt;
}

class OccupancyProbe {
public:
    OccupancyProbe(Target& target, int warp, const ProbeOptions& options)
        : target_(target), warp_(warp), options_(options),
          most_(static_cast<int>(
              std::clamp<std::int64_t>(target.info().max_work_group / warp, 1, most_warps)))
    {}

    ProbeResult run()
    {
        for (const int registers : register_counts) {
            const auto one_group = [&](int warps) {
                return same_rows(warps * warp_, 1, registers, 4);
            };
            conclude(
                measure(group_curve_name(registers), "warps of the work-group", most_, one_group),
                fmt::format("occupancy.group.{}_registers", registers), "warps of one work-group");
        }
        for (const int registers : register_counts) {
            const auto groups = [&](int each) {
                return same_rows(warp_, each * target_.info().compute_units, registers, 1);
            };
            conclude(measure(groups_curve_name(registers), "work-groups of one warp on each core",
                             most_warps, groups),
                     fmt::format("occupancy.core.{}_registers", registers),
                     "work-groups of one warp on each core");
        }
        compare_data();
        return std::move(result_);
    }

private:
    template <class Kernel>
    ProbeCurve& measure(std::string name, std::string label, int most, const Kernel& kernel)
    {
        ProbeCurve curve{std::move(name), std::move(label), "time [ns]"};
        for (int x = 1; x <= most; ++x) {
            check_stop(options_.stop);
            try {
                curve.points.push_back(
                    {static_cast<double>(x), target_.run(kernel(x), options_.samples)});
            } catch (const Error& error) { // too many work-items for their registers, say
                if (x == 1) {
                    throw;
                }
                result_.notes.push_back(
                    fmt::format("{}: {} are refused ({})", curve.name, x, error.what()));
                break;
            }
        }
        result_.curves.push_back(std::move(curve));
        return result_.curves.back();
    }

    void conclude(ProbeCurve& curve, std::string key, const char* of_what)
    {
        const auto found = together(curve.points);
        if (!found) {
            result_.notes.push_back(fmt::format("{}: no step is seen up to {} {}", curve.name,
                                                curve.points.size(), of_what));
            return;
        }
        for (double x = found->count; x < curve.points.back().x; x += found->count) {
            curve.marks.push_back(
                {x + 0.5, found->low + 0.5, found->high + 0.5, "multiples of the occupancy"});
        }
        result_.findings.push_back({std::move(key), found->count, "warps",
                                    fmt::format("{}: {}", of_what, found->how),
                                    std::pair(found->low, found->high)});
    }

    void compare_data()
    {
        const int most = std::min(most_, 8);
        const auto of = [&](bool own) {
            return [this, own](int warps) { return rows_of_warps(warp_, warps, own); };
        };
        const double same = median(
            measure(same_data_curve, "warps of the work-group", most, of(false)).points.back());
        const double own = median(
            measure(own_data_curve, "warps of the work-group", most, of(true)).points.back());
        if (most > 1) {
            result_.findings.push_back(
                {"sharing.saves", 1 - same / own, "",
                 fmt::format("of the time of {} warps of a work-group that read each its own "
                             "texels ({:.4g} ns), where all read the same ({:.4g} ns)",
                             most, own, same)});
        }
    }

    Target& target_;
    int warp_;
    const ProbeOptions& options_;
    int most_;
    ProbeResult result_;
};

} // namespace

std::string group_curve_name(int registers)
{
    return fmt::format("one work-group, {} registers", registers);
}

std::string groups_curve_name(int registers)
{
    return fmt::format("work-groups, {} registers", registers);
}

ProbeResult probe_tmmodel_occupancy(Target& target, const Known& known, const ProbeOptions& options)
{
    return OccupancyProbe(target, static_cast<int>(known.at("warp.size")), options).run();
}

} // namespace texelscope::workbench::probes
