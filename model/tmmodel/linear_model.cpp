#include "model/tmmodel/linear_model.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "model/statistics/non_negative_least_squares.hpp"
#include "model/statistics/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

namespace texelscope::model {
namespace {

constexpr std::size_t least_samples = 8;
constexpr std::size_t choosing_folds = 5; // of what chooses a regression or a penalty
constexpr std::size_t held_out_folds = 4; // each as large as the quarter that a fit holds out

struct Problem {
    Eigen::MatrixXd features;
    Eigen::VectorXd targets;

    [[nodiscard]] std::size_t samples() const { return static_cast<std::size_t>(targets.size()); }
    [[nodiscard]] Problem rows(const std::vector<std::size_t>& which) const
    {
        return {features(which, Eigen::all), targets(which)};
    }
};

Problem make_problem(const std::vector<WalkSample>& samples)
{
    if (samples.size() < least_samples) {
        throw bad_input(fmt::format("{} samples are too few", samples.size()),
                        "fit of the linear model", fmt::format("give at least {}", least_samples));
    }
    const std::vector<Extent2D> shapes = block_shapes(samples.front().histogram);
    Problem problem{{static_cast<Eigen::Index>(samples.size()),
                     static_cast<Eigen::Index>(2 * shapes.size() + 1)},
                    Eigen::VectorXd(static_cast<Eigen::Index>(samples.size()))};
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (block_shapes(samples[i].histogram) != shapes) {
            throw bad_input("its block shapes are not those of sample 0",
                            fmt::format("sample {}", i));
        }
        if (!(samples[i].per_access.value > 0) || !std::isfinite(samples[i].per_access.value)) {
            throw bad_input("its time is not positive", fmt::format("sample {}", i),
                            "measure it again");
        }
        const std::vector<double> features = per_access_features(samples[i].histogram);
        const auto row = static_cast<Eigen::Index>(i);
        problem.features.row(row) = Eigen::Map<const Eigen::RowVectorXd>(
            features.data(), static_cast<Eigen::Index>(features.size()));
        problem.targets(row) = samples[i].per_access.value;
    }
    return problem;
}

std::span<const double> view(const Eigen::VectorXd& vector)
{
    return {vector.data(), static_cast<std::size_t>(vector.size())};
}

FitError error_of(const Eigen::VectorXd& beta, const Problem& problem)
{
    const Eigen::VectorXd predicted = problem.features * beta;
    return fit_error(view(problem.targets), view(predicted));
}

/// Candidate solutions of one problem, always as many.
using Solve = std::function<std::vector<Eigen::VectorXd>(const Problem&)>;

/// For each candidate of `solve`, the target of every sample as the fit to the other folds predicts
/// it. The samples are dealt out to the folds in an order of the seed.
std::vector<Eigen::VectorXd> predict_held_out(const Problem& problem, const Solve& solve,
                                              std::size_t folds, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const std::vector<std::size_t> order = shuffled_indices(random, problem.samples());
    std::vector<Eigen::VectorXd> predicted;
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<std::size_t> inside;
        std::vector<std::size_t> outside;
        for (std::size_t i = 0; i < order.size(); ++i) {
            (i % folds == fold ? inside : outside).push_back(order[i]);
        }
        const std::vector<Eigen::VectorXd> candidates = solve(problem.rows(outside));
        predicted.resize(candidates.size(), problem.targets);
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            predicted[c](inside) = problem.features(inside, Eigen::all) * candidates[c];
        }
    }
    return predicted;
}

/// For each candidate of `solve`, the error over all samples, each predicted by the fit to the
/// other folds.
std::vector<FitError> cross_validate(const Problem& problem, const Solve& solve, std::uint64_t seed)
{
    std::vector<FitError> errors;
    for (const Eigen::VectorXd& one : predict_held_out(problem, solve, choosing_folds, seed)) {
        errors.push_back(fit_error(view(problem.targets), view(one)));
    }
    return errors;
}

/// Half decades, from no shrinkage to speak of to almost none of the slopes left.
std::vector<double> penalties()
{
    std::vector<double> grid;
    for (int half_decade = -16; half_decade <= 4; ++half_decade) {
        grid.push_back(std::pow(10.0, 0.5 * half_decade));
    }
    return grid;
}

double best_penalty(const Problem& problem, std::uint64_t seed)
{
    const std::vector<double> grid = penalties();
    const std::vector<FitError> errors = cross_validate(
        problem, [&](const Problem& part) { return ridge(part.features, part.targets, grid); },
        seed);
    const auto best =
        std::min_element(errors.begin(), errors.end(),
                         [](const FitError& a, const FitError& b) { return a.mape < b.mape; });
    return grid[static_cast<std::size_t>(best - errors.begin())];
}

struct Solution {
    Eigen::VectorXd beta;
    double ridge_penalty = 0;
};

Solution solve(const Problem& problem, Regression regression, std::uint64_t seed)
{
    switch (regression) {
    case Regression::least_squares:
        return {least_squares(problem.features, problem.targets)};
    case Regression::ridge: {
        const double penalty = best_penalty(problem, seed);
        return {ridge(problem.features, problem.targets, {&penalty, 1}).front(), penalty};
    }
    case Regression::non_negative:
        return {non_negative_least_squares(problem.features, problem.targets)};
    }
    throw bad_input("unknown regression", "fit of the linear model");
}

LinearModel fit(const std::vector<WalkSample>& samples, std::span<const Regression> choices,
                std::uint64_t seed)
{
    const Problem all = make_problem(samples);
    const HoldOut split = hold_out_quarter(all.samples(), seed);
    const Problem training = all.rows(split.training);

    LinearModel model;
    model.shapes = block_shapes(samples.front().histogram);
    double least = 0;
    for (const Regression choice : choices) {
        const Solve one = [&](const Problem& part) {
            return std::vector{solve(part, choice, seed).beta};
        };
        const FitError error = cross_validate(training, one, seed).front();
        if (model.cross_validation.empty() || error.mape < least) {
            model.regression = choice;
            least = error.mape;
        }
        model.cross_validation.push_back({choice, error});
    }
    const Solution solution = solve(training, model.regression, seed);
    model.beta.assign(solution.beta.begin(), solution.beta.end());
    model.ridge_penalty = solution.ridge_penalty;
    model.training = error_of(solution.beta, training);
    model.held_out = error_of(solution.beta, all.rows(split.held_out));
    return model;
}

} // namespace

std::vector<double> per_access_features(const CrossBlockHistogram& histogram)
{
    if (histogram.accesses <= 0) {
        throw bad_input("the histogram counts no access", "histogram",
                        "take one of a sequence with texels in it");
    }
    const auto accesses = static_cast<double>(histogram.accesses);
    std::vector<double> features;
    features.reserve(2 * histogram.bins.size() + 1);
    for (const CrossBlockHistogram::Bin& bin : histogram.bins) {
        features.push_back(static_cast<double>(bin.x) / accesses);
        features.push_back(static_cast<double>(bin.y) / accesses);
    }
    features.push_back(1);
    return features;
}

std::vector<Extent2D> block_shapes(const CrossBlockHistogram& histogram)
{
    std::vector<Extent2D> shapes;
    shapes.reserve(histogram.bins.size());
    for (const CrossBlockHistogram::Bin& bin : histogram.bins) {
        shapes.push_back(bin.block);
    }
    return shapes;
}

std::string to_string(Regression regression)
{
    constexpr std::array names{"least-squares", "ridge", "non-negative"};
    return names[static_cast<std::size_t>(regression)];
}

Regression parse_regression(const std::string& text)
{
    for (const Regression regression : all_regressions) {
        if (text == to_string(regression)) {
            return regression;
        }
    }
    throw bad_input("unknown regression '" + text + "'", "regression",
                    "use least-squares, ridge or non-negative");
}

Nanoseconds LinearModel::predict(const CrossBlockHistogram& histogram) const
{
    if (histogram.bins.size() != shapes.size() || beta.size() != 2 * shapes.size() + 1) {
        throw bad_input("the histogram and the model differ in their block shapes", "prediction",
                        "count strides over the shapes that the model was fitted with");
    }
    double sum = beta.back() * static_cast<double>(histogram.accesses);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const CrossBlockHistogram::Bin& bin = histogram.bins[i];
        if (bin.block != shapes[i]) {
            throw bad_input(
                fmt::format("the histogram has {}x{} where the model has {}x{}", bin.block.width,
                            bin.block.height, shapes[i].width, shapes[i].height),
                "prediction", "count strides over the shapes that the model was fitted with");
        }
        sum +=
            beta[2 * i] * static_cast<double>(bin.x) + beta[2 * i + 1] * static_cast<double>(bin.y);
    }
    return Nanoseconds{sum};
}

LinearModel fit_linear_model(const std::vector<WalkSample>& samples, std::uint64_t seed)
{
    return fit(samples, all_regressions, seed);
}

LinearModel fit_linear_model(const std::vector<WalkSample>& samples, Regression regression,
                             std::uint64_t seed)
{
    return fit(samples, {&regression, 1}, seed);
}

std::vector<Nanoseconds> held_out_times(const std::vector<WalkSample>& samples,
                                        Regression regression, std::uint64_t seed)
{
    const Problem problem = make_problem(samples);
    const Solve one = [&](const Problem& part) {
        return std::vector{solve(part, regression, seed).beta};
    };
    const Eigen::VectorXd predicted = predict_held_out(problem, one, held_out_folds, seed).front();
    std::vector<Nanoseconds> times;
    for (const double ns : predicted) {
        times.push_back(Nanoseconds{ns});
    }
    return times;
}

} // namespace texelscope::model
