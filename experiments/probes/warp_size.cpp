#include "experiments/probes/warp_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace texelscope {
namespace {

/// time = base + step * ceil(items / width), fitted by least squares of relative residuals.
struct Staircase {
    int width = 1;
    double step = 0;
    double error = std::numeric_limits<double>::infinity(); ///< root of the mean squared relative residual
};

Staircase fit_staircase(const std::vector<ProbePoint>& points, int width)
{
    // Normal equations of (1, ceil(x / width)) with weights 1 / t^2.
    double s00 = 0, s01 = 0, s11 = 0, t0 = 0, t1 = 0;
    for (const ProbePoint& point : points) {
        const double t = point.median();
        const double a = 1 / t;
        const double b = std::ceil(point.x / width) / t;
        s00 += a * a, s01 += a * b, s11 += b * b, t0 += a, t1 += b;
    }
    const double determinant = s00 * s11 - s01 * s01;
    if (!(determinant > 1e-12 * s00 * s11)) {
        return {};
    }
    const double base = (t0 * s11 - t1 * s01) / determinant;
    const double step = (t1 * s00 - t0 * s01) / determinant;
    double squares = 0;
    for (const ProbePoint& point : points) {
        const double residual = (base + step * std::ceil(point.x / width)) / point.median() - 1;
        squares += residual * residual;
    }
    return {width, step, std::sqrt(squares / static_cast<double>(points.size()))};
}

/// The width that explains the times best; nothing where the time does not rise in steps: where widths that differ by a half
/// explain it as well.
std::optional<Staircase> best_staircase(const std::vector<ProbePoint>& points)
{
    constexpr int widest = 128;
    Staircase best;
    std::vector<Staircase> all;
    for (int width = 1; width <= widest; ++width) {
        all.push_back(fit_staircase(points, width));
        if (all.back().step > 0 && all.back().error < best.error) {
            best = all.back();
        }
    }
    const auto rival = std::min_element(all.begin(), all.end(), [&](const Staircase& a, const Staircase& b) {
        const auto far = [&](const Staircase& s) {
            return s.width * 3 <= best.width * 2 || s.width * 2 >= best.width * 3;
        };
        return (far(a) ? a.error : 1e300) < (far(b) ? b.error : 1e300);
    });
    constexpr double clearly = 1.5;
    return std::isfinite(best.error) && rival->error > clearly * best.error ? std::optional(best) : std::nullopt;
}

/// The largest number of work-items, a power of two, of which each aligned run comes to the counter in order, one for each
/// number of a block that nobody else has part in.
int longest_runs(const std::vector<std::int32_t>& order)
{
    int width = 1;
    while (2 * width <= static_cast<int>(order.size())) {
        bool together = true;
        for (std::size_t first = 0; first + 2 * static_cast<std::size_t>(width) <= order.size();
             first += 2 * static_cast<std::size_t>(width)) {
            const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
            const auto [low, high] = std::minmax_element(begin, begin + 2 * width);
            together = together && *high - *low == 2 * width - 1;
        }
        if (!together) {
            break;
        }
        width *= 2;
    }
    return width;
}

} // namespace

ProbeResult probe_warp_size(Target& target, const Known&, const ProbeOptions& options)
{
    ProbeResult result;
    const TargetInfo& info = target.info();
    ProbeCurve curve{"arithmetic over work-items", "work-items of a group", "time [ns]", false, {}, {}};
    const int most = static_cast<int>(std::min<std::int64_t>(info.max_work_group, 260));
    for (int items = 1; items <= most; items += items % 4 == 1 ? 3 : 1) { // 1, 4, 5, 8, 9, ..
        if (options.stop && options.stop()) {
            throw Interrupted{};
        }
        Arithmetic kernel;
        kernel.local = {items, 1, 1};
        kernel.groups = {16 * info.compute_units, 1, 1};
        kernel.turns = 4096;
        curve.points.push_back({static_cast<double>(items), target.run(kernel, options.samples)});
    }
    const std::optional<Staircase> steps = best_staircase(curve.points);
    if (steps) {
        for (int x = steps->width; x < most; x += steps->width) {
            curve.marks.push_back({double(x), double(x), double(x), ""});
        }
    }
    result.curves.push_back(std::move(curve));

    std::optional<int> runs;
    const auto order =
        target.arrival_order({static_cast<std::int32_t>(std::min<std::int64_t>(info.max_work_group, 1024)), 1, 1});
    ProbeCurve arrivals{"arrival at a counter", "work-item", "work-items before it", false, {}, {}};
    for (std::size_t item = 0; item < order.size(); ++item) {
        arrivals.points.push_back({static_cast<double>(item), {static_cast<double>(order[item])}});
    }
    result.curves.push_back(std::move(arrivals));
    // Warps in order of their numbers look like one long run: the steps decide then.
    if (const int width = longest_runs(order); width > 1 && width < static_cast<int>(order.size())) {
        runs = width;
    }

    const std::string by_steps = steps ? fmt::format("arithmetic takes steps of {} work-items (residual {:.1f} %)",
                                                     steps->width, 100 * steps->error)
                                       : "arithmetic does not rise in steps";
    const std::string by_runs = runs ? fmt::format("runs of {} come to a counter together", *runs)
                                     : "the order at a counter does not tell (all in order, or none together)";
    if (steps && (!runs || *runs % steps->width == 0)) {
        result.findings.push_back({"warp.size", double(steps->width), "", {}, by_steps + "; " + by_runs});
    } else if (runs && !steps) {
        result.findings.push_back({"warp.size", double(*runs), "", {}, by_runs + "; " + by_steps});
    } else {
        result.notes.push_back("the warp size is not known: " + by_steps + ", but " + by_runs);
    }
    return result;
}

} // namespace texelscope
