#pragma once

#include "base/layers.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::model {

struct BoostingOptions {
    int trees = 60;         ///< at most; fewer where nothing is left to explain
    int depth = 4;          ///< splits from the root of a tree to a leaf
    double shrinkage = 0.2; ///< in (0, 1]: share of a tree that is added
    int smallest_leaf = 1;  ///< samples
    /// Shares of the samples and of the features, in (0, 1], that each tree is grown on, drawn by
    /// the seed (Friedman, "Stochastic gradient boosting", 2002).
    double samples = 1, features = 1;
    std::uint64_t seed = 1;
};

/// A function of few features as a sum of regression trees: gradient boosting with squared loss
/// (Friedman, "Greedy function approximation: a gradient boosting machine", Annals of Statistics
/// 2001). Each tree is fitted to what those before it leave; its splits are those that reduce the
/// sum of squares most (of equal ones the first feature, then the least threshold). They are
/// between any two values of a feature; where it has more than 256, between 256 bins with as many
/// samples each (Ke et al., "LightGBM", NeurIPS 2017). So, where
/// nothing is drawn, each tree lowers the error on the training data, or it is the last.
class BoostedTrees {
public:
    /// One row of `features` for each target. Throws bad_input where there is nothing, where the
    /// numbers differ or are not finite, or where an option is out of range. O(trees * depth *
    /// samples * features), after sorting once.
    BoostedTrees(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
                 const BoostingOptions& options = {});

    /// Of one sample, in the unit of the targets; never outside of their range, though sums of
    /// trees may leave it.
    [[nodiscard]] double predict(const Eigen::Ref<const Eigen::VectorXd>& features) const;

    [[nodiscard]] std::size_t tree_count() const { return trees_.size(); }

    /// Nodes in the order in which they were made, the root first. Features up to the threshold go
    /// to `low`.
    struct Node {
        int feature = -1; ///< -1: a leaf
        double threshold = 0;
        int low = -1;
        int high = -1;
        double value = 0; ///< of a leaf, shrinkage included
    };
    using Tree = std::vector<Node>;

private:
    std::vector<Tree> trees_;
    double mean_ = 0;
    double least_ = 0;
    double most_ = 0;
};

} // namespace texelscope::model
