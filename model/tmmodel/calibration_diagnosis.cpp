#include "model/tmmodel/calibration_diagnosis.hpp"

#include "base/averages.hpp"
#include "model/tmmodel/linear_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace texelscope::model {
namespace {

double relative_residual(const WalkDiagnosis::Walk& walk)
{
    return (walk.predicted_ns - walk.measured_ns) / walk.measured_ns;
}

/// The value at a share of the sorted values, between neighbours in proportion.
double quantile(const std::vector<double>& sorted, double share)
{
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void add(std::vector<WalkDiagnosis::Side>& sides, const WalkDiagnosis::Side& more)
{
    const auto found =
        std::find_if(sides.begin(), sides.end(), [&](const WalkDiagnosis::Side& side) {
            return side.along_x == more.along_x && side.texels == more.texels;
        });
    if (found == sides.end()) {
        sides.push_back(more);
        return;
    }
    found->ns += more.ns;
    found->share += more.share;
}

/// (95 % quantile - 5 % quantile) / median of the walks' latencies.
double range_of(const std::vector<WalkSample>& walks)
{
    std::vector<double> ns;
    for (const WalkSample& walk : walks) {
        ns.push_back(walk.per_access.value);
    }
    std::sort(ns.begin(), ns.end());
    return (quantile(ns, 0.95) - quantile(ns, 0.05)) / median(ns);
}

void doubt_walks(const Calibration& calibration, std::span<const double> spreads,
                 std::vector<std::string>& out)
{
    const LinearModel& model = calibration.thread;
    const double range = range_of(calibration.walks);
    constexpr double little = 0.05;
    if (range < little) {
        out.push_back(fmt::format(
            "nine of ten walks lie within {:.1f} % of each other: strides hardly matter here, and "
            "the weights of block shapes say nothing",
            100 * range));
    }
    if (!spreads.empty()) {
        const double noise = median(std::vector<double>(spreads.begin(), spreads.end()));
        if (3 * noise > range) {
            out.push_back(fmt::format(
                "samples of one walk spread by {:.1f} %, the walks among each other by {:.1f} %: "
                "noise hides what strides cost; take more samples",
                100 * noise, 100 * range));
        }
    }
    constexpr double half = 0.5;
    if (range >= little && model.held_out.r2 < half) {
        out.push_back(fmt::format(
            "cross-block strides explain less than half of what the held-out walks differ by "
            "(R2 {:.2f})",
            model.held_out.r2));
    }
    constexpr double much_worse = 2;
    if (model.held_out.mape > much_worse * model.training.mape && model.held_out.mape > little) {
        out.push_back(
            fmt::format("the held-out error is {:.1f} times that of training: take more walks",
                        model.held_out.mape / model.training.mape));
    }
}

void doubt_warps(const Calibration& calibration, std::vector<std::string>& out)
{
    if (calibration.warps.empty()) {
        out.emplace_back("no growing warps were measured: D is taken for 1");
        return;
    }
    const std::vector<WarpSlowdown> slowdowns =
        warp_slowdowns(calibration.warps, calibration.cache_lines);
    const auto thrashing = static_cast<std::size_t>(std::count_if(
        slowdowns.begin(), slowdowns.end(), [](const auto& s) { return s.thrash.exponent > 0; }));
    if (thrashing == 0) {
        out.push_back(fmt::format(
            "the {} lines of L1 hold what every warp keeps in use, so that none can thrash it: D "
            "is 1 because nothing was seen of it",
            calibration.cache_lines));
        return;
    }
    if (calibration.thrash.d == 1) {
        out.emplace_back("warps that should thrash L1 are no slower than their first lane alone: D "
                         "is held at 1");
    }
    constexpr double half = 0.5;
    if (calibration.thrash.held_out.r2 < half) {
        out.push_back(fmt::format("equation 2 explains less than half of what the held-out warps "
                                  "differ by (R2 {:.2f}): D "
                                  "hardly describes how warps slow down here",
                                  calibration.thrash.held_out.r2));
    }
}

} // namespace

WalkDiagnosis diagnose_walks(const LinearModel& model, const std::vector<WalkSample>& walks,
                             std::size_t worst)
{
    WalkDiagnosis out;
    std::vector<WalkDiagnosis::Walk> all;
    std::vector<double> mean(model.beta.size(), 0.0); // of the features
    for (const WalkSample& walk : walks) {
        all.push_back(
            {all.size(), walk.per_access.value,
             model.predict(walk.histogram).value / static_cast<double>(walk.histogram.accesses)});
        const std::vector<double> features = per_access_features(walk.histogram);
        for (std::size_t i = 0; i < mean.size(); ++i) {
            mean[i] += features[i] / static_cast<double>(walks.size());
        }
    }
    if (all.empty()) {
        return out;
    }
    std::vector<double> residuals;
    std::transform(all.begin(), all.end(), std::back_inserter(residuals), relative_residual);
    std::sort(residuals.begin(), residuals.end());
    for (std::size_t i = 0; i < WalkDiagnosis::shares.size(); ++i) {
        out.quantiles[i] = quantile(residuals, WalkDiagnosis::shares[i]);
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return std::abs(relative_residual(a)) > std::abs(relative_residual(b));
    });
    all.resize(std::min(worst, all.size()));
    out.worst = std::move(all);

    double predicted = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) {
        predicted += model.beta[i] * mean[i];
    }
    for (std::size_t i = 0; i < model.shapes.size(); ++i) {
        const double x = model.beta[2 * i];
        const double y = model.beta[2 * i + 1];
        out.shapes.push_back(
            {model.shapes[i], x, y, (x * mean[2 * i] + y * mean[2 * i + 1]) / predicted});
        add(out.sides, {true, model.shapes[i].width, x, x * mean[2 * i] / predicted});
        add(out.sides, {false, model.shapes[i].height, y, y * mean[2 * i + 1] / predicted});
    }
    std::sort(out.sides.begin(), out.sides.end(), [](const auto& a, const auto& b) {
        return std::pair(!a.along_x, a.texels) < std::pair(!b.along_x, b.texels);
    });
    out.access_share = model.beta.back() / predicted;
    return out;
}

std::vector<std::string> doubts(const Calibration& calibration,
                                std::span<const double> walk_spreads)
{
    std::vector<std::string> out;
    if (!calibration.walks.empty()) {
        doubt_walks(calibration, walk_spreads, out);
    }
    doubt_warps(calibration, out);
    return out;
}

} // namespace texelscope::model
