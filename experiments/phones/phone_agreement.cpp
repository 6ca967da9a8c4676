#include "experiments/phones/phone_agreement.hpp"

#include "experiments/judges/judge_agreement.hpp"
#include "model/statistics/least_deviation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace texelscope::experiments {
namespace {

/// The least measured time of the kernels that are judged fastest over the least of all.
double best_of_first(std::span<const double> judged, std::span<const double> measured,
                     std::size_t first)
{
    std::vector<std::pair<double, double>> order;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        order.emplace_back(judged[i], measured[i]);
    }
    std::ranges::stable_sort(order, {}, &std::pair<double, double>::first);
    order.resize(std::min(first, order.size()));
    return std::ranges::min_element(order, {}, &std::pair<double, double>::second)->second /
           std::ranges::min(measured);
}

PhoneAgreement agreement(std::span<const double> judged, std::span<const double> measured,
                         double factor, double constant)
{
    const Agreement order = agreement_of(judged, measured);
    std::vector<double> errors;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        errors.push_back(std::abs((factor * judged[i] + constant) / measured[i] - 1));
    }
    const auto middle = errors.begin() + std::ssize(errors) / 2;
    std::ranges::nth_element(errors, middle);
    return {order.tau, order.choice, best_of_first(judged, measured, 10), *middle};
}

} // namespace

PhoneAgreement agreement_of_times(std::span<const double> judged, std::span<const double> measured)
{
    return agreement(judged, measured, 1, added_constant(judged, measured));
}

PhoneAgreement agreement_of_counts(std::span<const double> judged, std::span<const double> measured)
{
    return agreement(judged, measured, fitted_factor(judged, measured), 0);
}

} // namespace texelscope::experiments
