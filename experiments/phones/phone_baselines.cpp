#include "experiments/phones/phone_baselines.hpp"

#include "base/random.hpp"
#include "model/statistics/regression.hpp"
#include "workbench/kernel_logs/kernel_features.hpp"

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <random>

namespace texelscope::experiments {
namespace {

using workbench::kernel_logs::KernelCounts;

constexpr std::size_t fewest_for_ridge = 40;
constexpr std::size_t folds = 5;
constexpr double ridge_penalty = 0.01;

/// Each kernel's time as the others' fifths predict it.
std::vector<double> ridge_times(const std::vector<KernelCounts>& kernels,
                                std::span<const double> measured, std::uint64_t seed)
{
    const Eigen::MatrixXd features = workbench::kernel_logs::kernel_features(kernels);
    std::mt19937_64 random(seed);
    const std::vector<std::size_t> order = shuffled_indices(random, kernels.size());
    std::vector<double> times(kernels.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<Eigen::Index> training, held_out;
        for (std::size_t i = 0; i < order.size(); ++i) {
            (i % folds == fold ? held_out : training)
                .push_back(static_cast<Eigen::Index>(order[i]));
        }
        Eigen::VectorXd targets(std::ssize(training));
        for (std::size_t i = 0; i < training.size(); ++i) {
            targets[static_cast<Eigen::Index>(i)] =
                std::log(measured[static_cast<std::size_t>(training[i])]);
        }
        const Eigen::VectorXd beta =
            model::ridge(features(training, Eigen::all), targets, std::array{ridge_penalty})
                .front();
        for (const Eigen::Index i : held_out) {
            times[static_cast<std::size_t>(i)] = std::exp(features.row(i).dot(beta));
        }
    }
    return times;
}

} // namespace

std::vector<PhoneBaseline> phone_baselines(const std::vector<KernelCounts>& kernels,
                                           std::span<const double> measured, std::uint64_t seed)
{
    std::vector<double> reads, arithmetic;
    for (const KernelCounts& kernel : kernels) {
        reads.push_back(kernel.reads());
        arithmetic.push_back(kernel.multiply_adds);
    }
    std::vector<PhoneBaseline> all{{"reads", agreement_of_counts(reads, measured)},
                                   {"arithmetic", agreement_of_counts(arithmetic, measured)}};
    if (kernels.size() >= fewest_for_ridge) {
        all.push_back(
            {"ridge", agreement_of_times(ridge_times(kernels, measured, seed), measured)});
    }
    return all;
}

} // namespace texelscope::experiments
