#include "model/statistics/fit_error.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace texelscope::model {

FitError fit_error(std::span<const double> truth, std::span<const double> predicted)
{
    FitError error;
    if (truth.empty()) {
        return error;
    }
    const auto count = static_cast<double>(truth.size());
    const double mean = std::accumulate(truth.begin(), truth.end(), 0.0) / count;
    double squares = 0;
    double residual_squares = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const double residual = predicted[i] - truth[i];
        const double relative = std::abs(residual) / truth[i];
        error.mape += relative / count;
        error.worst = std::max(error.worst, relative);
        residual_squares += residual * residual;
        squares += (truth[i] - mean) * (truth[i] - mean);
    }
    error.r2 = squares > 0 ? 1 - residual_squares / squares : (residual_squares > 0 ? 0.0 : 1.0);
    error.samples = static_cast<std::int64_t>(truth.size());
    return error;
}

HoldOut hold_out_quarter(std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const std::vector<std::size_t> order = shuffled_indices(random, count);
    const auto cut = order.begin() + static_cast<std::ptrdiff_t>(count / 4);
    HoldOut split{.training = {cut, order.end()}, .held_out = {order.begin(), cut}};
    std::sort(split.training.begin(), split.training.end());
    std::sort(split.held_out.begin(), split.held_out.end());
    return split;
}

} // namespace texelscope::model
