#include "model/statistics/boosted_trees.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "model/statistics/regression.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace texelscope::model {
namespace {

/// The features in bins: of each, neighbouring values together, at most so many; each value its own
/// where there are no more. A split is between two bins.
class Bins {
public:
    static constexpr std::size_t most = 256;

    explicit Bins(const Eigen::MatrixXd& features)
        : samples_(static_cast<std::size_t>(features.rows()))
    {
        for (Eigen::Index f = 0; f < features.cols(); ++f) {
            add(features.col(f));
        }
    }

    [[nodiscard]] std::size_t features() const { return thresholds_.size(); }
    [[nodiscard]] std::size_t samples() const { return samples_; }
    /// The bin of each sample.
    [[nodiscard]] std::span<const std::uint8_t> of(std::size_t feature) const
    {
        return std::span(bins_).subspan(feature * samples_, samples_);
    }
    /// Between each bin and the next one.
    [[nodiscard]] const std::vector<double>& thresholds(std::size_t feature) const
    {
        return thresholds_[feature];
    }

private:
    void add(const Eigen::Ref<const Eigen::VectorXd>& values)
    {
        std::vector<double> sorted(values.begin(), values.end());
        std::ranges::sort(sorted);
        std::vector<double> distinct = sorted;
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        std::vector<double> thresholds;
        const auto cut = [&](double left, double right) {
            const double middle = std::midpoint(left, right);
            thresholds.push_back(middle < right ? middle : left);
        };
        if (distinct.size() <= most) {
            for (std::size_t i = 1; i < distinct.size(); ++i) {
                cut(distinct[i - 1], distinct[i]);
            }
        } else { // as many samples in each as ties allow
            for (std::size_t bin = 1; bin < most; ++bin) {
                const double value = sorted[bin * sorted.size() / most];
                const auto right = std::ranges::lower_bound(distinct, value);
                if (right != distinct.begin() &&
                    (thresholds.empty() || thresholds.back() < *(right - 1))) {
                    cut(*(right - 1), *right);
                }
            }
        }
        for (const double value : values) {
            bins_.push_back(static_cast<std::uint8_t>(std::ranges::lower_bound(thresholds, value) -
                                                      thresholds.begin()));
        }
        thresholds_.push_back(std::move(thresholds));
    }

    std::size_t samples_;
    std::vector<std::uint8_t> bins_;
    std::vector<std::vector<double>> thresholds_;
};

struct Split {
    double gain = 0; ///< what it takes off the sum of squares
    std::size_t feature = 0;
    std::size_t bin = 0; ///< the last one of the lower side
};

/// Grows one tree on the residuals.
class Grower {
public:
    Grower(const Bins& bins, const Eigen::VectorXd& residuals, const BoostingOptions& options)
        : bins_(bins), residuals_(residuals), options_(options)
    {}

    /// A subtree over those samples, whose order it changes, by those features; returns the number
    /// of its root.
    int grow(std::span<std::size_t> samples, std::span<const std::size_t> features, int depth)
    {
        const auto number = static_cast<std::size_t>(std::ssize(tree_));
        tree_.emplace_back();
        const std::optional<Split> split = depth > 0 ? best_split(samples, features) : std::nullopt;
        if (!split) {
            tree_[number].value =
                options_.shrinkage * sum(samples) / static_cast<double>(samples.size());
            return static_cast<int>(number);
        }
        const std::span<const std::uint8_t> bins = bins_.of(split->feature);
        const auto high = std::stable_partition(
            samples.begin(), samples.end(), [&](std::size_t i) { return bins[i] <= split->bin; });
        const auto in_low = static_cast<std::size_t>(high - samples.begin());
        tree_[number].feature = static_cast<int>(split->feature);
        tree_[number].threshold = bins_.thresholds(split->feature)[split->bin];
        const int low_root = grow(samples.first(in_low), features, depth - 1);
        const int high_root = grow(samples.subspan(in_low), features, depth - 1);
        tree_[number].low = low_root;
        tree_[number].high = high_root;
        return static_cast<int>(number);
    }

    [[nodiscard]] BoostedTrees::Tree tree() && { return std::move(tree_); }

private:
    [[nodiscard]] double residual(std::size_t sample) const
    {
        return residuals_(static_cast<Eigen::Index>(sample));
    }
    [[nodiscard]] double sum(std::span<const std::size_t> samples) const
    {
        return std::accumulate(
            samples.begin(), samples.end(), 0.0,
            [&](double total, std::size_t sample) { return total + residual(sample); });
    }

    /// Of n samples with sum S, the sum of squares around the mean falls by a*b/n * (S_a/a -
    /// S_b/b)^2 when they are cut into a and b. Sums by bin give every cut.
    [[nodiscard]] std::optional<Split> best_split(std::span<const std::size_t> samples,
                                                  std::span<const std::size_t> features) const
    {
        const auto n = static_cast<double>(samples.size());
        const auto least = static_cast<std::size_t>(options_.smallest_leaf);
        double squares = 0;
        for (const std::size_t sample : samples) {
            squares += residual(sample) * residual(sample);
        }
        const double total = sum(samples);
        Split best{.gain = 1e-12 * squares}; // less is rounding
        bool found = false;
        for (const std::size_t f : features) {
            const std::size_t cuts = bins_.thresholds(f).size();
            const std::span<const std::uint8_t> bins = bins_.of(f);
            std::array<double, Bins::most> sums{};
            std::array<std::size_t, Bins::most> counts{};
            for (const std::size_t sample : samples) {
                sums[bins[sample]] += residual(sample);
                ++counts[bins[sample]];
            }
            double below = 0;
            std::size_t a = 0;
            for (std::size_t bin = 0; bin < cuts; ++bin) {
                below += sums[bin];
                a += counts[bin];
                if (counts[bin] == 0 || a < least ||
                    samples.size() - a < std::max<std::size_t>(least, 1)) {
                    continue;
                }
                const auto in_low = static_cast<double>(a);
                const double difference = below / in_low - (total - below) / (n - in_low);
                const double gain = in_low * (n - in_low) / n * difference * difference;
                if (gain > best.gain) {
                    best = {gain, f, bin};
                    found = true;
                }
            }
        }
        return found ? std::optional(best) : std::nullopt;
    }

    const Bins& bins_;
    const Eigen::VectorXd& residuals_;
    const BoostingOptions& options_;
    BoostedTrees::Tree tree_;
};

/// Where a sample with those features, by their numbers, ends.
template <class Features>
double leaf_value(const BoostedTrees::Tree& tree, const Features& features)
{
    std::size_t node = 0;
    while (tree[node].feature >= 0) {
        node = static_cast<std::size_t>(features(tree[node].feature) <= tree[node].threshold
                                            ? tree[node].low
                                            : tree[node].high);
    }
    return tree[node].value;
}

/// That share of the numbers below `count`, one at least, ascending.
std::vector<std::size_t> drawn(std::mt19937_64& random, std::size_t count, double share)
{
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (share < 1) {
        all = base::shuffled_indices(random, count);
        all.resize(
            std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(count))));
        std::ranges::sort(all);
    }
    return all;
}

} // namespace

BoostedTrees::BoostedTrees(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
                           const BoostingOptions& options)
{
    require_regression_input(features, targets);
    const auto is_share = [](double share) { return share > 0 && share <= 1; };
    if (options.trees < 0 || options.depth < 1 || options.smallest_leaf < 1 ||
        !is_share(options.shrinkage) || !is_share(options.samples) || !is_share(options.features)) {
        throw bad_input("an option is out of range", "boosted trees",
                        "use depth and smallest_leaf from 1 on, and a shrinkage and shares in "
                        "(0, 1]");
    }
    mean_ = targets.mean();
    least_ = targets.minCoeff();
    most_ = targets.maxCoeff();
    Eigen::VectorXd residuals = targets.array() - mean_;
    const Bins bins(features);
    std::mt19937_64 random(options.seed);
    const bool draws = options.samples < 1 || options.features < 1;
    const double noise = 1e-12 * targets.cwiseAbs().maxCoeff();
    for (int t = 0; t < options.trees; ++t) {
        if (residuals.cwiseAbs().maxCoeff() <= noise) {
            break;
        }
        std::vector<std::size_t> samples = drawn(random, bins.samples(), options.samples);
        Grower grower(bins, residuals, options);
        grower.grow(samples, drawn(random, bins.features(), options.features), options.depth);
        Tree tree = std::move(grower).tree();
        if (tree.size() == 1 && !draws) { // the mean is gone: no split helps any more
            break;
        }
        for (Eigen::Index sample = 0; sample < features.rows(); ++sample) {
            residuals(sample) -=
                leaf_value(tree, [&](Eigen::Index feature) { return features(sample, feature); });
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
