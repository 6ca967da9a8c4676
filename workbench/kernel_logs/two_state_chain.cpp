#include "workbench/kernel_logs/two_state_chain.hpp"

#include "base/error.hpp"
#include "model/statistics/regression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace texelscope::workbench::kernel_logs {
namespace {

constexpr double outliers = 0.03;    ///< share of samples that tell nothing
constexpr double outlier_width = 4;  ///< of log time, over which those are spread evenly
constexpr double least_noise = 0.02; ///< times are not known better
constexpr double penalty = 1e-3;     ///< of the ridge
constexpr int most_rounds = 60;

struct Parameters {
    Eigen::VectorXd beta;
    double shift = 1, noise = 0.5, flip = 0.05;
};

double density(double residual, double noise)
{
    const double z = residual / noise;
    const double normal = std::exp(-0.5 * z * z) / (noise * std::sqrt(2 * std::numbers::pi));
    return (1 - outliers) * normal + outliers / outlier_width;
}

/// The chance that a residual is no outlier.
double regular(double residual, double noise)
{
    const double all = density(residual, noise);
    return (all - outliers / outlier_width) / all;
}

struct Posterior {
    Eigen::VectorXd slow;
    double flips = 0, steps = 0; ///< expected changes, and places where one could be
    double log_likelihood = 0;
};

/// Forward and backward over the chain (Rabiner 1989), each step scaled to sum to 1.
Posterior posterior_of(const ChainSamples& samples, const Parameters& at)
{
    const Eigen::Index n = samples.log_time.size();
    const Eigen::VectorXd residual = samples.log_time - samples.features * at.beta;
    using Pair = std::array<double, 2>;
    std::vector<Pair> emit(static_cast<std::size_t>(n)), forward = emit;
    std::vector<double> scale(static_cast<std::size_t>(n));
    std::vector<bool> begin(static_cast<std::size_t>(n), false);
    for (const std::size_t place : samples.begins) {
        begin[place] = true;
    }
    Posterior out{Eigen::VectorXd(n), 0, 0, 0};
    for (std::size_t i = 0; i < emit.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const double odds = std::exp(std::clamp(samples.log_odds[row], -30.0, 30.0));
        emit[i] = {density(residual[row], at.noise) * 2 / (1 + odds),
                   density(residual[row] - at.shift, at.noise) * 2 * odds / (1 + odds)};
        const Pair before = begin[i] ? Pair{0.5, 0.5} : forward[i - 1];
        const double flip = begin[i] ? 0 : at.flip;
        const Pair now{(before[0] * (1 - flip) + before[1] * flip) * emit[i][0],
                       (before[1] * (1 - flip) + before[0] * flip) * emit[i][1]};
        scale[i] = now[0] + now[1];
        forward[i] = {now[0] / scale[i], now[1] / scale[i]};
        out.log_likelihood += std::log(scale[i]);
    }
    Pair backward{1, 1};
    for (std::size_t i = emit.size(); i-- > 0;) {
        const Pair both{forward[i][0] * backward[0], forward[i][1] * backward[1]};
        out.slow[static_cast<Eigen::Index>(i)] = both[1] / (both[0] + both[1]);
        if (begin[i]) {
            backward = {1, 1};
            continue;
        }
        const Pair ahead{emit[i][0] * backward[0] / scale[i], emit[i][1] * backward[1] / scale[i]};
        out.flips += at.flip * (forward[i - 1][0] * ahead[1] + forward[i - 1][1] * ahead[0]);
        out.steps += 1;
        backward = {(1 - at.flip) * ahead[0] + at.flip * ahead[1],
                    (1 - at.flip) * ahead[1] + at.flip * ahead[0]};
    }
    return out;
}

Eigen::VectorXd regression(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets)
{
    return model::ridge(features, targets, std::array{penalty}).front();
}

/// The parameters that explain the samples best where each is at the slow clock with this chance.
Parameters maximised(const ChainSamples& samples, const Posterior& posterior, Parameters at,
                     const ShiftRange& range)
{
    const Eigen::VectorXd& slow = posterior.slow;
    // Outliers are pulled to what is expected of them, so that they do not move the regression.
    const Eigen::VectorXd expected = samples.features * at.beta;
    Eigen::VectorXd targets(slow.size());
    Eigen::VectorXd fast_weight(slow.size()), slow_weight(slow.size());
    for (Eigen::Index i = 0; i < slow.size(); ++i) {
        const double r = samples.log_time[i] - expected[i];
        fast_weight[i] = (1 - slow[i]) * regular(r, at.noise);
        slow_weight[i] = slow[i] * regular(r - at.shift, at.noise);
        targets[i] = expected[i] + fast_weight[i] * r + slow_weight[i] * (r - at.shift);
    }
    at.beta = regression(samples.features, targets);
    const Eigen::VectorXd residual = samples.log_time - samples.features * at.beta;
    const double all_slow = slow_weight.sum();
    if (all_slow > 1e-9) {
        at.shift = std::clamp(slow_weight.dot(residual) / all_slow, range.least, range.most);
    }
    const double squares = fast_weight.dot(residual.cwiseAbs2()) +
                           slow_weight.dot((residual.array() - at.shift).matrix().cwiseAbs2());
    const double weight = fast_weight.sum() + all_slow;
    at.noise = std::max(least_noise, std::sqrt(squares / std::max(weight, 1.0)));
    at.flip = posterior.steps > 0 ? std::clamp(posterior.flips / posterior.steps, 1e-3, 0.3) : 0.05;
    return at;
}

/// Medians of windows of samples within their session.
Eigen::VectorXd smoothed(const Eigen::VectorXd& residual, const std::vector<std::size_t>& begins,
                         std::ptrdiff_t half)
{
    Eigen::VectorXd out(residual.size());
    for (std::size_t s = 0; s < begins.size(); ++s) {
        const auto first = static_cast<std::ptrdiff_t>(begins[s]);
        const auto end = s + 1 < begins.size() ? static_cast<std::ptrdiff_t>(begins[s + 1])
                                               : static_cast<std::ptrdiff_t>(residual.size());
        for (std::ptrdiff_t i = first; i < end; ++i) {
            std::vector<double> near(residual.begin() + std::max(first, i - half),
                                     residual.begin() + std::min(end, i + half + 1));
            std::ranges::nth_element(near, near.begin() + std::ssize(near) / 2);
            out[i] = near[near.size() / 2];
        }
    }
    return out;
}

/// Two clusters of numbers by two means, as chances of belonging to the higher: 0.05 or 0.95.
Eigen::VectorXd higher_cluster(const Eigen::VectorXd& values)
{
    double low = values.minCoeff(), high = values.maxCoeff();
    for (int round = 0; round < 30; ++round) {
        const double middle = (low + high) / 2;
        double sums[2] = {0, 0}, counts[2] = {0, 0};
        for (const double value : values) {
            sums[value > middle ? 1 : 0] += value;
            counts[value > middle ? 1 : 0] += 1;
        }
        low = counts[0] > 0 ? sums[0] / counts[0] : low;
        high = counts[1] > 0 ? sums[1] / counts[1] : high;
    }
    const double middle = (low + high) / 2;
    return values.unaryExpr([&](double value) { return value > middle ? 0.95 : 0.05; });
}

ChainFit fit_from(const ChainSamples& samples, const Eigen::VectorXd& start,
                  const ShiftRange& range)
{
    Parameters at;
    at.shift = (range.least + range.most) / 2;
    at.beta = regression(samples.features, samples.log_time - at.shift * start);
    Posterior posterior{start, 0, 0, -std::numeric_limits<double>::infinity()};
    for (int round = 0; round < most_rounds; ++round) {
        at = maximised(samples, posterior, at, range);
        const double before = posterior.log_likelihood;
        posterior = posterior_of(samples, at);
        if (std::abs(posterior.log_likelihood - before) < 1e-6) {
            break;
        }
    }
    return {posterior.slow, at.shift, at.noise, at.flip, posterior.log_likelihood, 0};
}

/// The likelihood where all samples are at one clock.
double one_clock(const ChainSamples& samples)
{
    Eigen::VectorXd targets = samples.log_time;
    double noise = 0.5, likelihood = 0;
    for (int round = 0; round < most_rounds; ++round) {
        const Eigen::VectorXd expected = samples.features * regression(samples.features, targets);
        const Eigen::VectorXd residual = samples.log_time - expected;
        const Eigen::VectorXd weight =
            residual.unaryExpr([&](double r) { return regular(r, noise); });
        likelihood =
            residual.unaryExpr([&](double r) { return std::log(density(r, noise)); }).sum();
        noise = std::max(least_noise,
                         std::sqrt(weight.dot(residual.cwiseAbs2()) / std::max(weight.sum(), 1.0)));
        targets = expected + weight.cwiseProduct(residual);
    }
    return likelihood;
}

} // namespace

bool ChainFit::two_clocks() const
{
    const double parameters = 3, margin = 10;
    return log_likelihood - one_clock_log_likelihood >
           0.5 * parameters * std::log(static_cast<double>(slow.size())) + margin;
}

ChainFit fit_chain(const ChainSamples& samples, const ShiftRange& range)
{
    constexpr Eigen::Index fewest = 20;
    if (samples.log_time.size() < fewest || samples.begins.empty() || samples.begins[0] != 0) {
        throw bad_input("a chain needs 20 samples, and a session that begins with the first");
    }
    const Eigen::VectorXd residual =
        samples.log_time - samples.features * regression(samples.features, samples.log_time);
    ChainFit best;
    best.log_likelihood = -std::numeric_limits<double>::infinity();
    for (const std::ptrdiff_t half : {0, 3, 12, 100}) {
        ChainFit fit =
            fit_from(samples, higher_cluster(smoothed(residual, samples.begins, half)), range);
        if (fit.log_likelihood > best.log_likelihood) {
            best = std::move(fit);
        }
    }
    best.one_clock_log_likelihood = one_clock(samples);
    return best;
}

} // namespace texelscope::workbench::kernel_logs
