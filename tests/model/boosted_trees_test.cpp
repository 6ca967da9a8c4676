#include "base/error.hpp"
#include "base/random.hpp"
#include "model/statistics/boosted_trees.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <set>

using namespace texelscope::model;

namespace {

struct Samples {
    Eigen::MatrixXd features;
    Eigen::VectorXd targets;
};

/// Few distinct values of each feature, so that there are ties.
Samples random_samples(std::uint64_t seed, Eigen::Index count, Eigen::Index features)
{
    std::mt19937_64 random(seed);
    Samples samples{Eigen::MatrixXd(count, features), Eigen::VectorXd(count)};
    for (Eigen::Index i = 0; i < count; ++i) {
        for (Eigen::Index f = 0; f < features; ++f) {
            samples.features(i, f) = static_cast<double>(uniform_below(random, 6));
        }
        samples.targets(i) =
            std::sin(samples.features(i, 0)) * samples.features(i, 1) + standard_normal(random);
    }
    return samples;
}

double squared_error(const BoostedTrees& trees, const Samples& samples)
{
    double sum = 0;
    for (Eigen::Index i = 0; i < samples.targets.size(); ++i) {
        const double error =
            trees.predict(samples.features.row(i).transpose()) - samples.targets(i);
        sum += error * error;
    }
    return sum;
}

double squares_around_mean(const std::vector<double>& values)
{
    double mean = 0;
    for (const double value : values) {
        mean += value / static_cast<double>(values.size());
    }
    double sum = 0;
    for (const double value : values) {
        sum += (value - mean) * (value - mean);
    }
    return sum;
}

/// The least sum of squares that one cut leaves, by trying each value of each feature.
double best_cut(const Samples& samples)
{
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index f = 0; f < samples.features.cols(); ++f) {
        for (Eigen::Index at = 0; at < samples.targets.size(); ++at) {
            std::vector<double> low;
            std::vector<double> high;
            for (Eigen::Index i = 0; i < samples.targets.size(); ++i) {
                (samples.features(i, f) <= samples.features(at, f) ? low : high)
                    .push_back(samples.targets(i));
            }
            least = std::min(least, squares_around_mean(low) +
                                        (high.empty() ? 0 : squares_around_mean(high)));
        }
    }
    return least;
}

} // namespace

TEST_CASE("One whole tree learns a step function exactly")
{
    Samples samples{Eigen::MatrixXd(40, 2), Eigen::VectorXd(40)};
    for (Eigen::Index i = 0; i < 40; ++i) {
        samples.features(i, 0) = static_cast<double>(i % 7);
        samples.features(i, 1) = static_cast<double>(i);
        samples.targets(i) = i < 13 ? 2.0 : i < 30 ? -5.0 : 11.0;
    }
    const BoostedTrees trees(samples.features, samples.targets,
                             {.trees = 1, .depth = 2, .shrinkage = 1});
    for (const double x : {0.0, 12.0, 12.4, 13.0, 29.0, 29.4, 30.0, 1000.0, -3.0}) {
        CAPTURE(x);
        CHECK(trees.predict(Eigen::Vector2d(3, x)) == Approx(x < 12.5   ? 2.0
                                                             : x < 29.5 ? -5.0
                                                                        : 11.0));
    }
    CHECK(trees.tree_count() == 1);
    // What is left after one tree is rounding: no second one.
    CHECK(BoostedTrees(samples.features, samples.targets, {.trees = 9, .depth = 2, .shrinkage = 1})
              .tree_count() == 1);
}

TEST_CASE("With shrinkage v, t trees leave (1 - v)^t of a step")
{
    const Eigen::MatrixXd features = Eigen::Vector4d(1, 2, 3, 4);
    const Eigen::VectorXd targets = Eigen::Vector4d(0, 0, 8, 8);
    for (const double v : {0.1, 0.5, 0.9}) {
        for (const int t : {0, 1, 2, 7}) {
            CAPTURE(v, t);
            const BoostedTrees trees(features, targets, {.trees = t, .depth = 3, .shrinkage = v});
            CHECK(trees.predict(Eigen::VectorXd::Constant(1, 1)) ==
                  Approx(4 * std::pow(1 - v, t)).margin(1e-12));
            CHECK(trees.predict(Eigen::VectorXd::Constant(1, 4)) ==
                  Approx(8 - 4 * std::pow(1 - v, t)));
        }
    }
}

TEST_CASE("A stump is the best cut that there is")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        const Samples samples = random_samples(seed, 30, 3);
        const BoostedTrees stump(samples.features, samples.targets,
                                 {.trees = 1, .depth = 1, .shrinkage = 1});
        CHECK(squared_error(stump, samples) == Approx(best_cut(samples)));
    }
}

TEST_CASE("Each tree lowers the training error, and no prediction leaves the range of the targets")
{
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        const Samples samples = random_samples(seed, 120, 4);
        double before = std::numeric_limits<double>::infinity();
        for (int trees = 0; trees <= 30; trees += 3) {
            const BoostedTrees model(samples.features, samples.targets,
                                     {.trees = trees, .depth = 3});
            const double error = squared_error(model, samples);
            CHECK(error < before);
            before = error;
        }
        const BoostedTrees model(samples.features, samples.targets,
                                 {.trees = 100, .depth = 5, .shrinkage = 1});
        std::mt19937_64 random(seed);
        for (int i = 0; i < 200; ++i) {
            Eigen::VectorXd anywhere(4);
            for (double& value : anywhere) {
                value = 20 * uniform_real(random) - 7;
            }
            CHECK(model.predict(anywhere) >= samples.targets.minCoeff());
            CHECK(model.predict(anywhere) <= samples.targets.maxCoeff());
        }
    }
    // y = a + b with the corner (1, 1) left out: two stumps add up to 2 there, the targets end at
    // 1.
    Eigen::MatrixXd corners(3, 2);
    corners << 0, 0, 0, 1, 1, 0;
    const BoostedTrees model(corners, Eigen::Vector3d(0, 1, 1), {.trees = 200, .depth = 1});
    CHECK(model.predict(Eigen::Vector2d(1, 1)) == 1);
}

TEST_CASE(
    "The same trees come of the same data, leaves are as large as asked, and bad input is refused")
{
    const Samples samples = random_samples(7, 60, 3);
    const BoostedTrees a(samples.features, samples.targets);
    const BoostedTrees b(samples.features, samples.targets);
    const BoostedTrees wide(samples.features, samples.targets,
                            {.trees = 1, .depth = 8, .shrinkage = 1, .smallest_leaf = 12});
    std::set<double> leaves;
    for (Eigen::Index i = 0; i < 60; ++i) {
        const Eigen::VectorXd row = samples.features.row(i).transpose();
        CHECK(a.predict(row) == b.predict(row));
        leaves.insert(wide.predict(row));
    }
    CHECK(leaves.size() > 1);
    CHECK(leaves.size() <= 5);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(3, 1);
    CHECK(BoostedTrees(one, Eigen::Vector3d(1, 2, 6)).predict(Eigen::VectorXd::Ones(1)) ==
          Approx(3));
    CHECK_THROWS_AS(BoostedTrees(one, Eigen::Vector2d(1, 2)), Error);
    CHECK_THROWS_AS(BoostedTrees(Eigen::MatrixXd(0, 1), Eigen::VectorXd(0)), Error);
    CHECK_THROWS_AS(BoostedTrees(one, Eigen::Vector3d(1, 2, 3), {.shrinkage = 0}), Error);
    CHECK_THROWS_AS(BoostedTrees(one, Eigen::Vector3d(1, 2, 3), {.depth = 0}), Error);
    CHECK_THROWS_AS(BoostedTrees(one, Eigen::Vector3d(1, 2, 3), {.samples = 0}), Error);
    CHECK_THROWS_AS(BoostedTrees(one, Eigen::Vector3d(1, 2, 3), {.features = 1.5}), Error);
}

TEST_CASE("Of a feature with many values, a cut is as near to the best as bins of equal size allow")
{
    std::mt19937_64 random(3);
    constexpr Eigen::Index count = 5000;
    Samples samples{Eigen::MatrixXd(count, 1), Eigen::VectorXd(count)};
    for (Eigen::Index i = 0; i < count; ++i) {
        samples.features(i, 0) = std::exp(4 * uniform_real(random));
        samples.targets(i) = samples.features(i, 0) < 7.5 ? 1 : -1;
    }
    const BoostedTrees stump(samples.features, samples.targets,
                             {.trees = 1, .depth = 1, .shrinkage = 1});
    int wrong = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
        wrong += stump.predict(samples.features.row(i).transpose()) * samples.targets(i) < 0.5;
    }
    CHECK(wrong <= count / 256 + 1);
}

TEST_CASE("Trees on draws learn what all samples have in common, the same for the same seed")
{
    const Samples samples = random_samples(11, 400, 4);
    const Samples others = random_samples(12, 400, 4);
    const auto with = [&](std::uint64_t seed) {
        return BoostedTrees(samples.features, samples.targets,
                            {.trees = 100, .samples = 0.5, .features = 0.5, .seed = seed});
    };
    const BoostedTrees a = with(1), b = with(1), c = with(2);
    int different = 0;
    for (Eigen::Index i = 0; i < 50; ++i) {
        const Eigen::VectorXd row = others.features.row(i).transpose();
        CHECK(a.predict(row) == b.predict(row));
        different += a.predict(row) != c.predict(row);
    }
    CHECK(different > 25);
    // The noise has a variance of 1, what is to be learnt one of several.
    CHECK(squared_error(a, others) / 400 < 2);
    CHECK((others.targets.array() - others.targets.mean()).square().mean() > 3);
}
