#pragma once

#include "base/layers.hpp"

#include <Eigen/Core>

#include <vector>

namespace texelscope::model {

struct GaussianProcessOptions {
    double length = 1; ///< how far apart places are whose values have little to do with each other
    double deviation = 0.4; ///< standard deviation of the values about their mean
    double mean = 1;        ///< standard deviation of that mean about 0
    double noise = 0.07;    ///< standard deviation of an observation about its value
};

/// What observations at some of a list of places say of the values at all of them: regression with
/// a Gaussian process (Rasmussen and Williams, "Gaussian processes for machine learning", 2006,
/// chapter 2), whose covariance at the distance r is
///   mean^2 + deviation^2 (1 + a) exp(-a),  a = sqrt(3) r / length   (Matern's with 3/2, eq. 4.17).
/// Observations come one after the other; each costs O(places * (observations + coordinates)).
class GaussianProcess {
public:
    /// A row of coordinates for each place. Throws bad_input where an option is not positive (noise
    /// may be 0).
    explicit GaussianProcess(Eigen::MatrixXd places, const GaussianProcessOptions& options = {});

    /// The value at a place, as it was observed there; a place may be observed again.
    void observe(Eigen::Index place, double value);
    /// Takes the value that is expected there for an observation: only the deviations change. For
    /// what was begun and is not yet known (Ginsbourger et al., "kriging believer", 2010).
    void believe(Eigen::Index place);

    [[nodiscard]] const Eigen::VectorXd& expected() const { return expected_; }
    /// Of the value, without the noise of an observation; times scale().
    [[nodiscard]] double deviation(Eigen::Index place) const;
    /// By how much observations are farther from what was expected of them than the options have
    /// it: 1 or more. The likeliest factor on all deviations, with four observations that were as
    /// expected beside the true ones.
    [[nodiscard]] double scale() const;

private:
    /// Covariance of each place with one, as the observations leave it.
    [[nodiscard]] Eigen::VectorXd covariance(Eigen::Index place) const;

    Eigen::MatrixXd places_;
    GaussianProcessOptions options_;
    Eigen::VectorXd expected_;
    Eigen::VectorXd variance_;
    /// Of each observation what it took from the covariances: c(i, j) loses taken(i) taken(j).
    std::vector<Eigen::VectorXd> taken_;
    double surprise_ = 0; ///< sum of squares of what observations were off by, over their variances
    int observed_ = 0;
};

/// How much less than `best` the value at a place is expected to be, where it is less (Jones,
/// Schonlau and Welch, "Efficient global optimization", 1998, equation 15).
[[nodiscard]] double expected_improvement(double best, double expected, double deviation);

/// Probability that a value with this expectation and deviation is below `limit`.
[[nodiscard]] double probability_below(double limit, double expected, double deviation);

} // namespace texelscope::model
