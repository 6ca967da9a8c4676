#include "workbench/tuning/measured_correction.hpp"

#include "base/error.hpp"
#include "model/bottleneck/bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace texelscope::workbench::tuning {
namespace {

// With fewer samples the trees would only learn their noise.
constexpr std::size_t fewest = 20;

double log_of(double value)
{
    return std::log(std::max(value, 1e-9));
}

double log_of(std::int64_t count)
{
    return log_of(static_cast<double>(count));
}

BoostedTrees fitted(const std::vector<CorrectionSample>& samples)
{
    if (samples.size() < fewest) {
        throw bad_input(
            fmt::format("{} measured kernels are too few for a correction", samples.size()),
            "measured kernels", fmt::format("give {} or more", fewest));
    }
    Eigen::MatrixXd features(std::ssize(samples), samples.front().features.size());
    Eigen::VectorXd targets(std::ssize(samples));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const CorrectionSample& sample = samples[i];
        if (!(sample.measured.value > 0 && sample.predicted.value > 0)) {
            throw bad_input("a time is not positive", "measured kernels",
                            "leave kernels out that did not run");
        }
        features.row(static_cast<Eigen::Index>(i)) = sample.features.transpose();
        targets[static_cast<Eigen::Index>(i)] =
            std::log(sample.measured.value / sample.predicted.value);
    }
    return {features, targets, {.trees = 120, .depth = 5, .shrinkage = 0.1, .smallest_leaf = 20}};
}

} // namespace

// What the factor between measured and predicted time may depend on: how much of the predicted time
// each bound has, and the kernel's sizes, as logarithms.
Eigen::VectorXd correction_features(const ModelKernel& kernel, Nanoseconds predicted)
{
    const ModelKernel::Rounds& rounds = kernel.rounds.value();
    const BottleneckCost cost =
        bottleneck_cost(rounds.stream, rounds.grid, rounds.options, rounds.model);
    const WorkGrid& grid = rounds.grid;
    const double cycles = std::max(cost.cycles, 1e-9);
    double reads = 0;
    for (const ReadStream::Read& read : rounds.stream.reads) {
        reads += read.count;
    }
    double stored = 0;
    for (const ReadStream::Input& input : rounds.stream.inputs) {
        stored += input.stored_bytes;
    }
    const std::int64_t items = grid.group[0] * grid.group[1] * grid.group[2] * grid.split;
    const std::vector<double> values{
        log_of(predicted.value),
        cost.latency / cycles,
        cost.issue / cycles,
        cost.texture_unit / cycles,
        cost.cache_bandwidth() / cycles,
        cost.memory_bandwidth / cycles,
        cost.outstanding_misses / cycles,
        log_of(cost.waves),
        log_of(cost.resident_warps),
        log_of(reads),
        log_of(stored),
        log_of(kernel.work_groups),
        log_of(items),
        log_of(grid.tiles[0]),
        log_of(grid.tiles[1]),
        log_of(grid.group[0]),
        log_of(grid.group[1]),
        log_of(grid.warp[0]),
        log_of(grid.warp[1]),
        log_of(grid.split),
        static_cast<double>(rounds.options.kernel.registers_per_item.value_or(0)),
        rounds.stream.code.cycles / std::max(1.0, rounds.stream.code.reads),
    };
    return Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
}

MeasuredCorrection::MeasuredCorrection(const std::vector<CorrectionSample>& samples)
    : trees_(fitted(samples))
{}

double MeasuredCorrection::factor(const Eigen::VectorXd& features) const
{
    return std::exp(trees_.predict(features));
}

std::vector<double> held_out_corrected(const std::vector<CorrectionSample>& samples,
                                       const std::vector<std::size_t>& group, std::size_t folds)
{
    if (group.size() != samples.size()) {
        throw bad_input(fmt::format("{} groups for {} kernels", group.size(), samples.size()),
                        "measured kernels", "give one for each");
    }
    if (folds < 2 || std::all_of(group.begin(), group.end(), [&](std::size_t one) {
            return one % folds == group.front() % folds;
        })) {
        throw bad_input("all kernels are of one fold", "measured kernels",
                        "give kernels of more shapes");
    }
    // Whole groups (shapes, say) are held out, so that no kernel of a shape helps to predict
    // another one of it.
    std::vector<double> corrected(samples.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<CorrectionSample> training;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            if (group[i] % folds != fold) {
                training.push_back(samples[i]);
            }
        }
        if (training.size() == samples.size()) {
            continue; // nothing is held out
        }
        const MeasuredCorrection correction(training);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            if (group[i] % folds == fold) {
                corrected[i] = samples[i].predicted.value * correction.factor(samples[i].features);
            }
        }
    }
    return corrected;
}

} // namespace texelscope::workbench::tuning
