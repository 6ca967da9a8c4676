#include "workbench/tuning/measured_correction.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

namespace texelscope::workbench::tuning {
namespace {

/// log(measured / predicted) of each, less the median of its shape, plus the mean of these medians.
Eigen::VectorXd targets_of(const std::vector<CorrectionSample>& samples)
{
    std::map<std::size_t, std::vector<double>> by_shape;
    Eigen::VectorXd targets(std::ssize(samples));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const CorrectionSample& sample = samples[i];
        if (!(sample.measured.value > 0 && sample.predicted.value > 0)) {
            throw bad_input("a time is not positive", "measured kernels",
                            "leave kernels out that did not run");
        }
        const double target = std::log(sample.measured.value / sample.predicted.value);
        targets[static_cast<Eigen::Index>(i)] = target;
        by_shape[sample.shape].push_back(target);
    }
    std::map<std::size_t, double> medians;
    double mean = 0;
    for (auto& [shape, logs] : by_shape) {
        mean += (medians[shape] = median(logs)) / static_cast<double>(by_shape.size());
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
        targets[static_cast<Eigen::Index>(i)] += mean - medians[samples[i].shape];
    }
    return targets;
}

std::vector<BoostedTrees> fitted(const std::vector<CorrectionSample>& samples,
                                 const StopToken& stop)
{
    if (samples.size() < MeasuredCorrection::fewest) {
        throw bad_input(
            fmt::format("{} measured kernels are too few for a correction", samples.size()),
            "measured kernels", fmt::format("give {} or more", MeasuredCorrection::fewest));
    }
    Eigen::MatrixXd features(std::ssize(samples), samples.front().features.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        features.row(static_cast<Eigen::Index>(i)) = samples[i].features.transpose();
    }
    const Eigen::VectorXd targets = targets_of(samples);
    constexpr std::size_t count = 8;
    std::vector<std::optional<BoostedTrees>> sums(count);
    parallel_for(
        count, processor_threads(),
        [&](std::size_t i) {
            sums[i].emplace(features, targets,
                            BoostingOptions{.trees = 300,
                                            .depth = 4,
                                            .shrinkage = 0.05,
                                            .smallest_leaf = 20,
                                            .samples = 0.6,
                                            .features = 0.3,
                                            .seed = i + 1});
        },
        stop);
    return mapped(sums, [](const auto& sum) { return sum.value(); });
}

} // namespace

MeasuredCorrection::MeasuredCorrection(const std::vector<CorrectionSample>& samples,
                                       const StopToken& stop)
    : sums_(fitted(samples, stop))
{}

Correction MeasuredCorrection::at(const Eigen::VectorXd& features) const
{
    double sum = 0;
    double squares = 0;
    for (const BoostedTrees& trees : sums_) {
        const double log = trees.predict(features);
        sum += log;
        squares += log * log;
    }
    const auto count = static_cast<double>(sums_.size());
    const double mean = sum / count;
    return {std::exp(mean), std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

std::vector<double> held_out_corrected(const std::vector<CorrectionSample>& samples,
                                       std::size_t folds)
{
    if (folds < 2 || std::ranges::all_of(samples, [&](const CorrectionSample& one) {
            return one.shape % folds == samples.front().shape % folds;
        })) {
        throw bad_input("all kernels are of one fold", "measured kernels",
                        "give kernels of more shapes");
    }
    // Whole shapes are held out, so that no kernel of a shape helps to predict another one of it.
    std::vector<double> corrected(samples.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<CorrectionSample> training;
        std::ranges::copy_if(
            samples, std::back_inserter(training),
            [&](const CorrectionSample& one) { return one.shape % folds != fold; });
        if (training.size() == samples.size()) {
            continue; // nothing is held out
        }
        const MeasuredCorrection correction(training);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            if (samples[i].shape % folds == fold) {
                corrected[i] =
                    samples[i].predicted.value * correction.at(samples[i].features).factor;
            }
        }
    }
    return corrected;
}

} // namespace texelscope::workbench::tuning
