#include "model/statistics/least_deviation.hpp"

#include <algorithm>

namespace texelscope::model {

double weighted_quantile(std::vector<std::pair<double, double>> value_and_weight, double share)
{
    std::ranges::sort(value_and_weight);
    double all = 0;
    for (const auto& [value, weight] : value_and_weight) {
        all += weight;
    }
    double below = 0;
    for (const auto& [value, weight] : value_and_weight) {
        below += weight;
        if (below >= share * all) {
            return value;
        }
    }
    return value_and_weight.empty() ? 0 : value_and_weight.back().first;
}

double added_constant(std::span<const double> judged, std::span<const double> measured)
{
    std::vector<std::pair<double, double>> missing;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        missing.emplace_back(measured[i] - judged[i], 1 / measured[i]);
    }
    return std::max(0.0, weighted_quantile(std::move(missing), 0.5));
}

double fitted_factor(std::span<const double> judged, std::span<const double> measured)
{
    std::vector<std::pair<double, double>> ratios;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        ratios.emplace_back(measured[i] / judged[i], judged[i] / measured[i]);
    }
    return weighted_quantile(std::move(ratios), 0.5);
}

} // namespace texelscope::model
