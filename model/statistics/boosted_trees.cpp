#include "model/statistics/boosted_trees.hpp"

#include "base/error.hpp"
#include "model/statistics/regression.hpp"

#include <algorithm>
#include <numeric>

namespace texelscope::model {
namespace {

/// The samples of a node by each feature, ascending.
using Orders = std::vector<std::vector<Eigen::Index>>;

Orders sorted_samples(const Eigen::MatrixXd& features)
{
    Orders orders(static_cast<std::size_t>(features.cols()));
    for (Eigen::Index f = 0; f < features.cols(); ++f) {
        auto& order = orders[static_cast<std::size_t>(f)];
        order.resize(static_cast<std::size_t>(features.rows()));
        std::iota(order.begin(), order.end(), Eigen::Index{0});
        std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
            return features(a, f) < features(b, f);
        });
    }
    return orders;
}

struct Split {
    double gain = 0; ///< what it takes off the sum of squares
    int feature = -1;
    double threshold = 0;
};

/// Grows one tree on the residuals.
class Grower {
public:
    Grower(const Eigen::MatrixXd& features, const Eigen::VectorXd& residuals,
           const BoostingOptions& options)
        : features_(features), residuals_(residuals), options_(options)
    {}

    /// A subtree over those samples; returns the number of its root.
    int grow(const Orders& orders, int depth)
    {
        const auto number = static_cast<std::size_t>(std::ssize(tree_));
        tree_.emplace_back();
        const Split split = depth > 0 ? best_split(orders) : Split{};
        if (split.feature < 0) {
            const auto samples = static_cast<double>(orders[0].size());
            tree_[number].value = options_.shrinkage * sum(orders[0]) / samples;
            return static_cast<int>(number);
        }
        Orders low(orders.size());
        Orders high(orders.size());
        for (std::size_t f = 0; f < orders.size(); ++f) {
            for (const Eigen::Index sample : orders[f]) {
                (features_(sample, split.feature) <= split.threshold ? low : high)[f].push_back(
                    sample);
            }
        }
        tree_[number].feature = split.feature;
        tree_[number].threshold = split.threshold;
        const int low_root = grow(low, depth - 1);
        const int high_root = grow(high, depth - 1);
        tree_[number].low = low_root;
        tree_[number].high = high_root;
        return static_cast<int>(number);
    }

    [[nodiscard]] BoostedTrees::Tree tree() && { return std::move(tree_); }

private:
    [[nodiscard]] double sum(const std::vector<Eigen::Index>& samples) const
    {
        return std::accumulate(
            samples.begin(), samples.end(), 0.0,
            [&](double total, Eigen::Index sample) { return total + residuals_(sample); });
    }

    /// Of n samples with sum S, the sum of squares around the mean falls by a*b/n * (S_a/a -
    /// S_b/b)^2 when they are cut into a and b.
    [[nodiscard]] Split best_split(const Orders& orders) const
    {
        const std::size_t count = orders[0].size();
        const auto n = static_cast<double>(count);
        const auto least = static_cast<std::size_t>(options_.smallest_leaf);
        double squares = 0;
        for (const Eigen::Index sample : orders[0]) {
            squares += residuals_(sample) * residuals_(sample);
        }
        Split best;
        best.gain = 1e-12 * squares; // less is rounding
        for (std::size_t f = 0; f < orders.size(); ++f) {
            const auto column = static_cast<Eigen::Index>(f);
            const double total = sum(orders[f]);
            double below = 0;
            for (std::size_t a = 1; a < count; ++a) {
                below += residuals_(orders[f][a - 1]);
                const double left = features_(orders[f][a - 1], column);
                const double right = features_(orders[f][a], column);
                if (left == right || a < least || count - a < least) {
                    continue;
                }
                const auto in_low = static_cast<double>(a);
                const double difference = below / in_low - (total - below) / (n - in_low);
                const double gain = in_low * (n - in_low) / n * difference * difference;
                if (gain > best.gain) {
                    const double middle = std::midpoint(left, right);
                    best = {gain, static_cast<int>(f), middle < right ? middle : left};
                }
            }
        }
        return best;
    }

    const Eigen::MatrixXd& features_;
    const Eigen::VectorXd& residuals_;
    const BoostingOptions& options_;
    BoostedTrees::Tree tree_;
};

double leaf_value(const BoostedTrees::Tree& tree, const Eigen::Ref<const Eigen::VectorXd>& features)
{
    std::size_t node = 0;
    while (tree[node].feature >= 0) {
        node = static_cast<std::size_t>(features(tree[node].feature) <= tree[node].threshold
                                            ? tree[node].low
                                            : tree[node].high);
    }
    return tree[node].value;
}

} // namespace

BoostedTrees::BoostedTrees(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
                           const BoostingOptions& options)
{
    require_regression_input(features, targets);
    if (options.trees < 0 || options.depth < 1 || options.smallest_leaf < 1 ||
        !(options.shrinkage > 0) || options.shrinkage > 1) {
        throw bad_input("an option is out of range", "boosted trees",
                        "use depth and smallest_leaf from 1 on and a shrinkage in (0, 1]");
    }
    mean_ = targets.mean();
    least_ = targets.minCoeff();
    most_ = targets.maxCoeff();
    Eigen::VectorXd residuals = targets.array() - mean_;
    const Orders orders = sorted_samples(features);
    const double noise = 1e-12 * targets.cwiseAbs().maxCoeff();
    for (int t = 0; t < options.trees; ++t) {
        if (residuals.cwiseAbs().maxCoeff() <= noise) {
            break;
        }
        Grower grower(features, residuals, options);
        grower.grow(orders, options.depth);
        Tree tree = std::move(grower).tree();
        if (tree.size() == 1) { // the mean is gone: no split helps any more
            break;
        }
        for (Eigen::Index sample = 0; sample < features.rows(); ++sample) {
            residuals(sample) -= leaf_value(tree, features.row(sample).transpose());
        }
        trees_.push_back(std::move(tree));
    }
}

double BoostedTrees::predict(const Eigen::Ref<const Eigen::VectorXd>& features) const
{
    double sum = mean_;
    for (const Tree& tree : trees_) {
        sum += leaf_value(tree, features);
    }
    return std::clamp(sum, least_, most_);
}

} // namespace texelscope::model
