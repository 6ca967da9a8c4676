#include "model/curves/periodic_staircase.hpp"

#include "base/error.hpp"
#include "model/curves/optimal_partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace texelscope::model {
namespace {

constexpr const char* staircase_place = "period of a staircase";
/// Above this, doubles do not hold every whole number, and no probe goes there.
constexpr double largest_x = 1e9;

void require_input(std::span<const ProbePoint> points, const PeriodOptions& options)
{
    for (const ProbePoint& point : points) {
        if (!(point.x >= 1 && point.x <= largest_x) || point.x != std::floor(point.x)) {
            throw bad_input(fmt::format("x is {}", point.x), staircase_place,
                            "x must be a positive whole number");
        }
    }
    const auto share = [](double value) { return value > 0 && value < 1; };
    if (!share(options.false_positives) || !share(options.confidence)) {
        throw bad_input("the rate of false positives or the confidence is out of range",
                        staircase_place, "both must lie between 0 and 1");
    }
    if (options.treads < 3) {
        throw bad_input(fmt::format("a staircase of {} treads", options.treads), staircase_place,
                        "ask for at least 3");
    }
}

double tread(double x, std::int64_t period)
{
    return std::ceil(x / static_cast<double>(period));
}

/// A column of numbers less its weighted mean, and the sums that regressions need.
class Column {
public:
    Column(std::vector<double> values, const std::vector<double>& weights)
        : values_(std::move(values))
    {
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        mean_ = std::inner_product(values_.begin(), values_.end(), weights.begin(), 0.0) / total;
        for (double& value : values_) {
            value -= mean_;
        }
    }

    [[nodiscard]] double mean() const { return mean_; }
    [[nodiscard]] double times(const Column& other, const std::vector<double>& weights) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            sum += weights[i] * values_[i] * other.values_[i];
        }
        return sum;
    }

private:
    std::vector<double> values_;
    double mean_ = 0;
};

struct StairFit {
    double rise = 0;
    double first = 0;
    double alone = 0;     ///< residual sum of squares of the staircase
    double with_line = 0; ///< of the staircase and a line
};

/// Of two lines with a bend, and of a single jump.
double least_simpler(const SegmentCosts& costs)
{
    double least = costs.ramp({0, costs.size()});
    for (std::size_t i = 1; i + 1 < costs.size(); ++i) {
        least = std::min({least, costs.bend({0, costs.size()}, costs.x(i)),
                          costs.plateau({0, i}) + costs.plateau({i, costs.size()})});
    }
    return least;
}

/// First and last of the most probable candidates that together have the confidence.
std::pair<std::size_t, std::size_t> probable(const std::vector<double>& shares, double confidence)
{
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
    std::size_t low = order.front();
    std::size_t high = order.front();
    double sum = 0;
    for (const std::size_t candidate : order) {
        low = std::min(low, candidate);
        high = std::max(high, candidate);
        sum += shares[candidate];
        if (sum >= confidence) {
            break;
        }
    }
    return {low, high};
}

} // namespace

std::optional<StaircasePeriod> find_period(std::span<const ProbePoint> points,
                                           const PeriodOptions& options)
{
    require_input(points, options);
    const RobustCurve curve = robust_curve(points, staircase_place);
    const std::size_t count = curve.x.size();
    const auto longest = static_cast<std::int64_t>(
        std::floor((curve.x.back() - 1) / static_cast<double>(options.treads - 1)));
    if (count < 6 || longest < 2) {
        return std::nullopt;
    }
    std::vector<double> weights;
    for (const double level : curve.level) {
        weights.push_back(1 / (level * level));
    }
    const Column x(curve.x, weights);
    const Column y(curve.y, weights);
    const double xx = x.times(x, weights);
    const double xy = x.times(y, weights);
    const double yy = y.times(y, weights);
    // Below the least noise that is believed, residuals say nothing; without it a perfect fit would
    // be infinitely good.
    const double least = static_cast<double>(count) * least_noise * least_noise;
    const double line = std::max(0.0, yy - xy * xy / xx) + least;

    constexpr std::int64_t shortest = 2; // a period of 1 is a line
    std::vector<StairFit> fits;
    std::vector<double> treads(count);
    for (std::int64_t period = shortest; period <= longest; ++period) {
        std::transform(curve.x.begin(), curve.x.end(), treads.begin(),
                       [&](double at) { return tread(at, period); });
        const Column stairs(treads, weights);
        const double ss = stairs.times(stairs, weights);
        const double sx = stairs.times(x, weights);
        const double sy = stairs.times(y, weights);
        StairFit fit{0, 0, yy + least, line};
        if (ss > 0 && sy > 0) {
            fit.rise = sy / ss;
            fit.first = y.mean() - fit.rise * (stairs.mean() - 1);
            fit.alone = std::max(0.0, yy - sy * sy / ss) + least;
            const double left = ss - sx * sx / xx;
            const double explained = sy - sx * xy / xx;
            fit.with_line -= left > 1e-9 * ss ? explained * explained / left : 0.0;
        }
        fits.push_back(fit);
    }
    const auto best =
        std::min_element(fits.begin(), fits.end(),
                         [](const StairFit& a, const StairFit& b) { return a.alone < b.alone; });
    const auto freedom = static_cast<double>(count - 3);
    const double p_value = std::min(
        1.0, static_cast<double>(fits.size()) *
                 std::pow(std::clamp(best->with_line, least / 2, line) / line, freedom / 2));
    const SegmentCosts costs(curve.x, curve.y, curve.level);
    if (p_value > options.false_positives || best->rise <= 0 ||
        best->alone >= least_simpler(costs) + least) {
        return std::nullopt;
    }
    std::vector<double> shares;
    for (const StairFit& fit : fits) {
        shares.push_back(std::pow(best->alone / fit.alone, static_cast<double>(count) / 2));
    }
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) {
        share /= all;
    }
    const auto [low, high] = probable(shares, options.confidence);
    const auto index = best - fits.begin();
    return StaircasePeriod{shortest + index,
                           shortest + static_cast<std::int64_t>(low),
                           shortest + static_cast<std::int64_t>(high),
                           shares[static_cast<std::size_t>(index)],
                           best->first,
                           best->rise,
                           p_value};
}

} // namespace texelscope::model
