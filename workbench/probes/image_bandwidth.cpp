#include "base/lists.hpp"
#include "sim/options/options.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace texelscope::workbench::probes {
namespace {

constexpr std::int64_t float4_bytes = 16;

struct Line {
    std::int64_t width = 1; ///< texels
    std::int64_t height = 1;
    [[nodiscard]] std::int64_t bytes() const { return width * height * float4_bytes; }
};

/// Work-items that together go through `lines` lines of an image. Work-item i of a group of n reads
/// the lines i, i + n, i + 2n, ... modulo `lines`, counted from where its group begins.
struct MeasuredStream {
    Line line;
    std::int64_t lines = 1; ///< a power of two
    std::int64_t groups = 1;
    std::int64_t items = 1; ///< of a group
    std::int64_t reads = 1; ///< of a work-item
    /// Every group goes through the same lines, and reads the first texel of each; else one group
    /// goes on where another ends, and reads all texels of its lines, as what brings one of them
    /// may leave others to come: neighbouring work-items those of one line, at once, or a small
    /// first level would have lost the line before its next texel is read.
    bool shared = false;
};

ReadKernel kernel_of(const MeasuredStream& stream)
{
    ReadKernel kernel;
    Launch& launch = kernel.launch;
    launch.kernel = "stream";
    launch.groups = {static_cast<std::int32_t>(stream.groups), 1, 1};
    launch.local = {static_cast<std::int32_t>(stream.items), 1, 1};
    const auto ids = work_item_variables(launch.groups, launch.local);
    const Variable iteration{slots::first_loop_slot, "iteration", {0, stream.reads - 1}};
    const std::int64_t texels = stream.line.width * stream.line.height;
    const Variable part{slots::first_loop_slot + 1, "part", {0, texels - 1}};
    // Number of the texel among those that an iteration of the group reads.
    const IndexExpr texel = IndexExpr(ids[0]) + IndexExpr(part) * stream.items;
    const IndexExpr number = IndexExpr(iteration) * stream.items +
                             (stream.shared ? IndexExpr(ids[0])
                                            : IndexExpr(ids[3]) * (stream.items * stream.reads) +
                                                  floor_div(texel, texels));
    const IndexExpr line = mod(number, stream.lines);
    // Rows of lines, as many in each as make the image about square.
    const std::int64_t across =
        std::int64_t{1} << ((std::bit_width(static_cast<std::uint64_t>(stream.lines)) - 1) / 2);
    const std::int64_t down = ceil_div(stream.lines, across);
    launch.images = {{.name = "data",
                      .extent = {static_cast<std::int32_t>(across * stream.line.width),
                                 static_cast<std::int32_t>(down * stream.line.height)},
                      .bytes_per_texel = Bytes{float4_bytes}}};
    const IndexExpr x = mod(line, across) * stream.line.width,
                    y = floor_div(line, across) * stream.line.height;
    if (stream.shared) {
        launch.body = {Loop{iteration, {AccessFunction{0, x, y}}}};
    } else {
        const IndexExpr within = mod(texel, texels);
        const AccessFunction access{0, x + mod(within, stream.line.width),
                                    y + floor_div(within, stream.line.width)};
        launch.body = {Loop{iteration, {Loop{part, {access}}}}};
    }
    return kernel;
}

std::int64_t power_of_two_up_to(double most)
{
    return std::int64_t{1} << static_cast<unsigned>(std::max(0.0, std::floor(std::log2(most))));
}

class Bandwidth {
public:
    Bandwidth(Target& target, const Known& known, const ProbeOptions& options)
        : target_(target), known_(known), options_(options)
    {
        line_ = {static_cast<std::int64_t>(known.at("l1.line.width")),
                 static_cast<std::int64_t>(known.at("l1.line.height"))};
        l1_lines_ = known.at("l1.capacity") / static_cast<double>(line_.bytes());
        items_ = target.info().max_work_group;
    }

    [[nodiscard]] ProbeResult probe()
    {
        first_level();
        const auto l2 = value_of(known_, "l2.capacity");
        if (l2) {
            const double l2_lines = *l2 / static_cast<double>(line_.bytes());
            // Every core goes through the same lines, which the second level keeps and the first
            // one does not.
            // Most lines that are used: a launch is long enough then, however large the level is.
            constexpr double enough = 65536;
            const std::int64_t lines =
                power_of_two_up_to(std::min(l2_lines / 2, std::max(8 * l1_lines_, enough)));
            if (static_cast<double>(lines) >= 4 * l1_lines_) {
                beyond("l2", "bandwidth.l2", line_, lines, false);
            } else {
                result_.notes.push_back(
                    "the second level is too small beside the first to be read alone");
            }
        } else {
            result_.notes.push_back(
                "no second level is known: what lies behind the first may be one, or memory");
            beyond("l1_miss", "bandwidth.l1_miss", line_, power_of_two_up_to(16 * l1_lines_),
                   false);
            return result_;
        }
        if (known_.contains("latency.l3.ns")) {
            result_.notes.push_back("a third level lies behind the second: what comes from memory "
                                    "is not told from what it keeps");
            return result_;
        }
        // From memory come whole lines of the last level.
        Line line = line_;
        if (known_.contains("l2.line.width") && known_.contains("l2.line.height")) {
            line = {static_cast<std::int64_t>(known_.at("l2.line.width")),
                    static_cast<std::int64_t>(known_.at("l2.line.height"))};
        }
        const double last = *l2 / static_cast<double>(line.bytes());
        beyond("memory", "bandwidth.memory", line, 2 * power_of_two_up_to(4 * last), true);
        return result_;
    }

private:
    /// Lookups of the texture unit: in each warp, work-items read several different lines, all of
    /// which stay in the first level.
    void first_level()
    {
        ProbeCurve curve{"first level over lines read at once", "lines", "texels a second [1e9]",
                         true};
        const auto warp = static_cast<std::int64_t>(known_.at("warp.size"));
        const auto texels = [&](std::int64_t lines) {
            const MeasuredStream stream{line_,  lines, target_.info().compute_units,
                                        items_, 16,    true};
            return ProbePoint{static_cast<double>(lines), rates(stream, 112, 1)};
        };
        // Work-items of a warp that read the same line are served together, on a simulated device.
        const auto lookups = [&](const ProbePoint& point) {
            return median(point) * point.x / static_cast<double>(warp);
        };
        std::int64_t at = 1;
        double best = 0;
        // Each number of lines, not powers of two alone: what is served in whole cycles wastes a
        // part of the last one.
        for (std::int64_t lines = 1;
             static_cast<double>(lines) <= std::min(l1_lines_, double(warp)); ++lines) {
            curve.points.push_back(texels(lines));
            if (lookups(curve.points.back()) > best) {
                best = lookups(curve.points.back());
                at = lines;
            }
        }
        result_.findings.push_back({"texels", median(curve.points.front()), "1e9/s",
                                    "every work-item reads the same texel"});
        result_.curves.push_back(std::move(curve));
        best = lookups(texels(at)); // measured anew: the best of many is too good by chance
        const TargetInfo& info = target_.info();
        if (info.clock_mhz > 0) {
            result_.findings.push_back(
                {"bandwidth.lookups", best * 1000 / (info.clock_mhz * info.compute_units),
                 "1/cycle",
                 fmt::format("different lines of the first level, {} at once, by each of {} cores",
                             at, info.compute_units)});
        }
    }

    /// Lines that come from behind the first level: GB/s over the number of cores at work.
    void beyond(const std::string& name, const std::string& key, const Line& line,
                std::int64_t lines, bool once)
    {
        const TargetInfo& info = target_.info();
        ProbeCurve curve{name + " over cores", "work-groups, one for each core",
                         "bandwidth [GB/s]"};
        std::vector<std::int64_t> groups{1};
        if (info.compute_units > 1) {
            groups.push_back((info.compute_units + 1) / 2);
            groups.push_back(info.compute_units);
        }
        const auto point = [&](std::int64_t count) {
            const std::int64_t pass =
                std::max<std::int64_t>(1, lines / (items_ * (once ? count : 1)));
            // Once: a part of the lines, and then all of them. A short part, as its noise is in the
            // difference as well.
            const std::int64_t reads = once ? std::max<std::int64_t>(1, pass / 8) : 2 * pass;
            const MeasuredStream stream{line, lines, count, items_, reads, !once};
            return ProbePoint{
                static_cast<double>(count),
                rates(stream, once ? pass - reads : 6 * pass, static_cast<double>(line.bytes()))};
        };
        for (const std::int64_t count : groups) {
            curve.points.push_back(point(count));
        }
        const double one = median(curve.points.front());
        double all = median(curve.points.back());
        const bool scales = info.compute_units > 1 && all > 0.9 * one * info.compute_units;
        if (once && all > 0.5 * one * info.compute_units) {
            // What the cores have under way may still be the limit: twice as many work-items.
            groups.push_back(2 * info.compute_units);
            curve.points.push_back(point(groups.back()));
            if (median(curve.points.back()) > all) {
                all = median(curve.points.back());
            } else {
                groups.pop_back();
            }
        }
        std::string how = fmt::format("{} work-groups of {} work-items", groups.back(), items_);
        if (scales) {
            how += "; it grows with the cores, so that what one core can have under way limits it "
                   "and the port may "
                   "give more";
        }
        result_.findings.push_back({key + ".reached", all, "GB/s", how});
        if (!scales && info.clock_mhz > 0) {
            result_.findings.push_back({key, all * 1000 / info.clock_mhz, "B/cycle", how});
        }
        // Little's law: lines under way = rate x latency.
        const auto latency = value_of(known_, "latency.l2.ns");
        if (scales && !once && latency) {
            const double under_way = one * *latency / static_cast<double>(line.bytes());
            result_.findings.push_back(
                {"outstanding_misses", std::round(under_way), "",
                 "rate of one core times the latency, in lines (Little's law)",
                 std::pair(0.95 * under_way, 1.05 * under_way)});
        }
        result_.curves.push_back(std::move(curve));
    }

    /// What `more` reads of each work-item beyond those of the stream come to, times `each`, per
    /// nanosecond: the difference of two launches leaves out what they both start with, empty
    /// caches among it.
    [[nodiscard]] std::vector<double> rates(const MeasuredStream& stream, std::int64_t more,
                                            double each)
    {
        check_stop(options_.stop);
        more = std::max<std::int64_t>(1, more);
        MeasuredStream longer = stream;
        longer.reads += more;
        const std::vector<double> first = target_.run(kernel_of(stream), options_.samples);
        const std::vector<double> all = target_.run(kernel_of(longer), 2 * options_.samples);
        const double start = median(first);
        return mapped(all, [&](double ns) {
            return static_cast<double>(stream.groups * items_ * more) * each /
                   std::max(1e-3, ns - start);
        });
    }

    Target& target_;
    const Known& known_;
    const ProbeOptions& options_;
    ProbeResult result_;
    Line line_;
    double l1_lines_ = 1;
    std::int64_t items_ = 1;
};

} // namespace

ProbeResult probe_image_bandwidth(Target& target, const Known& known, const ProbeOptions& options)
{
    return Bandwidth(target, known, options).probe();
}

} // namespace texelscope::workbench::probes
