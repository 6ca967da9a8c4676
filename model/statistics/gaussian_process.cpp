#include "model/statistics/gaussian_process.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace texelscope::model {

GaussianProcess::GaussianProcess(Eigen::MatrixXd places, const GaussianProcessOptions& options)
    : places_(std::move(places)), options_(options),
      expected_(Eigen::VectorXd::Zero(places_.rows())),
      variance_(Eigen::VectorXd::Constant(
          places_.rows(), options.mean * options.mean + options.deviation * options.deviation))
{
    if (!(options.length > 0 && options.deviation > 0 && options.mean > 0 && options.noise >= 0)) {
        throw bad_input("an option is not positive", "Gaussian process");
    }
}

Eigen::VectorXd GaussianProcess::covariance(Eigen::Index place) const
{
    const double scale = std::sqrt(3.0) / options_.length;
    const Eigen::ArrayXd a =
        scale * (places_.rowwise() - places_.row(place)).rowwise().norm().array();
    Eigen::VectorXd covariance = options_.mean * options_.mean +
                                 options_.deviation * options_.deviation * (1 + a) * (-a).exp();
    for (const Eigen::VectorXd& taken : taken_) {
        covariance -= taken[place] * taken;
    }
    return covariance;
}

void GaussianProcess::observe(Eigen::Index place, double value)
{
    const Eigen::VectorXd column = covariance(place);
    // Without noise nothing is left to learn at a place that was observed.
    const double variance = std::max(column[place], 0.0) + options_.noise * options_.noise;
    if (variance <= 0) {
        return;
    }
    const double off = value - expected_[place];
    surprise_ += off * off / variance;
    ++observed_;
    expected_ += column * (off / variance);
    taken_.emplace_back(column / std::sqrt(variance));
    variance_ -= taken_.back().cwiseAbs2();
}

void GaussianProcess::believe(Eigen::Index place)
{
    const double surprise = surprise_;
    const int observed = observed_;
    observe(place, expected_[place]);
    surprise_ = surprise; // what is believed is no evidence
    observed_ = observed;
}

double GaussianProcess::scale() const
{
    constexpr double as_expected = 4;
    return std::sqrt(std::max(1.0, (surprise_ + as_expected) / (observed_ + as_expected)));
}

double GaussianProcess::deviation(Eigen::Index place) const
{
    return scale() * std::sqrt(std::max(variance_[place], 0.0));
}

double probability_below(double limit, double expected, double deviation)
{
    if (deviation <= 0) {
        return expected < limit ? 1 : 0;
    }
    return std::erfc((expected - limit) / deviation / std::numbers::sqrt2) / 2;
}

double expected_improvement(double best, double expected, double deviation)
{
    if (deviation <= 0) {
        return std::max(0.0, best - expected);
    }
    const double u = (best - expected) / deviation;
    const double density = std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi);
    return (best - expected) * probability_below(best, expected, deviation) + deviation * density;
}

} // namespace texelscope::model
