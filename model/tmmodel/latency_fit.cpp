#include "model/tmmodel/latency_fit.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::model {
namespace {

/// Weighted sums of the normal equations of a line, in terms of residuals relative to ns.
struct Moments {
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;

    void add(double weight, double ratio, double ns)
    {
        w += weight;
        x += weight * ratio;
        y += weight * ns;
        xx += weight * ratio * ratio;
        xy += weight * ratio * ns;
    }

    [[nodiscard]] LatencyLine line() const
    {
        if (w <= 0) {
            return {};
        }
        const double determinant = w * xx - x * x;
        if (determinant > 1e-12 * w * w) { // variance of the ratios
            const double miss = (w * xy - x * y) / determinant;
            if (miss > 0) {
                return {(y - miss * x) / w, miss};
            }
        }
        return {y / w, 0};
    }
};

} // namespace

LatencyLine fit_latency(std::span<const double> miss_ratios, std::span<const double> ns,
                        std::span<const std::size_t> chosen, int rounds)
{
    Moments plain;
    for (const std::size_t i : chosen) {
        plain.add(1 / (ns[i] * ns[i]), miss_ratios[i], ns[i]);
    }
    LatencyLine line = plain.line();
    constexpr double smallest = 1e-5; // residuals below it count as it: weights stay finite
    for (int round = 0; round < rounds; ++round) {
        Moments moments;
        for (const std::size_t i : chosen) {
            const double residual = std::abs(line(miss_ratios[i]) / ns[i] - 1);
            moments.add(1 / (ns[i] * ns[i] * std::max(residual, smallest)), miss_ratios[i], ns[i]);
        }
        line = moments.line();
    }
    return line;
}

double mean_relative_error(const LatencyLine& line, std::span<const double> miss_ratios,
                           std::span<const double> ns, std::span<const std::size_t> chosen)
{
    double sum = 0;
    for (const std::size_t i : chosen) {
        sum += std::abs(line(miss_ratios[i]) / ns[i] - 1);
    }
    return chosen.empty() ? 0 : sum / static_cast<double>(chosen.size());
}

} // namespace texelscope::model
