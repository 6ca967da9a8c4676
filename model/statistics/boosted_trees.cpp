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

    [[nodiscard]] std::size_t features() const { return ranges_.size(); }
    [[nodiscard]] std::size_t samples() const { return samples_; }
    /// The bin of each sample.
    [[nodiscard]] std::span<const std::uint8_t> of(std::size_t feature) const
    {
        return std::span(bins_).subspan(feature * samples_, samples_);
    }
    /// The least and the greatest value in each bin.
    struct Range {
        double least = 0;
        double greatest = 0;
    };
    [[nodiscard]] const std::vector<Range>& ranges(std::size_t feature) const
    {
        return ranges_[feature];
    }

private:
    void add(const Eigen::Ref<const Eigen::VectorXd>& values)
    {
        std::vector<double> sorted(values.begin(), values.end());
        std::ranges::sort(sorted);
        std::vector<double> distinct = sorted;
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        std::vector<double> first; // of each bin
        if (distinct.size() <= most) {
            first = distinct;
        } else { // as many samples in each as ties allow
            for (std::size_t bin = 0; bin < most; ++bin) {
                const double value = sorted[bin * sorted.size() / most];
                if (first.empty() || first.back() < value) {
                    first.push_back(value);
                }
            }
        }
        std::vector<Range> ranges;
        ranges.reserve(first.size());
        for (const double value : first) {
            ranges.push_back({value, value});
        }
        for (const double value : values) {
            const auto bin =
                static_cast<std::size_t>(std::ranges::upper_bound(first, value) - first.begin()) -
                1;
            ranges[bin].greatest = std::max(ranges[bin].greatest, value);
            bins_.push_back(static_cast<std::uint8_t>(bin));
        }
        ranges_.push_back(std::move(ranges));
    }

    std::size_t samples_;
    std::vector<std::uint8_t> bins_;
    std::vector<std::vector<Range>> ranges_;
};

struct Split {
    double gain = 0; ///< what it takes off the sum of squares
    std::size_t feature = 0;
    std::size_t bin = 0; ///< the last one of the lower side
    double threshold = 0;
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
        tree_[number].threshold = split->threshold;
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
            const std::vector<Bins::Range>& ranges = bins_.ranges(f);
            const std::span<const std::uint8_t> bins = bins_.of(f);
            std::array<double, Bins::most> sums{};
            std::array<std::size_t, Bins::most> counts{};
            for (const std::size_t sample : samples) {
                sums[bins[sample]] += residual(sample);
                ++counts[bins[sample]];
            }
            double below = 0;
            std::size_t a = 0;
            std::size_t last = 0; // of the lower side
            for (std::size_t bin = 0; bin < ranges.size(); ++bin) {
                if (counts[bin] == 0) {
                    continue;
                }
                if (a >= least && a > 0 && samples.size() - a >= least) {
                    const auto in_low = static_cast<double>(a);
                    const double difference = below / in_low - (total - below) / (n - in_low);
                    const double gain = in_low * (n - in_low) / n * difference * difference;
                    if (gain > best.gain) {
                        const double left = ranges[last].greatest;
                        const double right = ranges[bin].least;
                        const double middle = std::midpoint(left, right);
                        best = {gain, f, last, middle < right ? middle : left};
                        found = true;
                    }
                }
                below += sums[bin];
                a += counts[bin];
                last = bin;
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
