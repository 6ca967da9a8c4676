#include "model/curves/rough_levels.hpp"

#include "model/curves/cache_curve.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace texelscope::model {
namespace {

constexpr int most_levels = 3;
// A real cache leaves its family a little: what is nearer than this in time or size is its
// shoulder, no level.
constexpr double step_of_several = 0.25;
constexpr std::int64_t least_ratio = 4;

/// Caches of all sizes up to `most` lines, four to an octave, ascending; a few shapes of each.
std::vector<RandomSetCache> rough_caches(std::int64_t most)
{
    std::vector<RandomSetCache> caches;
    for (double lines = 2; lines < static_cast<double>(most); lines *= std::exp2(0.25)) {
        for (const std::int64_t ways : {1, 4, 16}) {
            const auto sets =
                static_cast<std::int64_t>(std::llround(lines / static_cast<double>(ways)));
            if (sets > 1) {
                caches.push_back({sets, ways});
            }
        }
        caches.push_back({1, std::llround(lines)});
    }
    return caches;
}

/// Caches by their index, ascending, and what they and the hit cost.
struct Hierarchy {
    std::vector<std::size_t> caches;
    Eigen::VectorXd coefficients;
    double squares = std::numeric_limits<double>::infinity(); ///< sum of squared relative residuals
};

/// Tries all hierarchies. Of the normal equations of each, those of all caches hold the numbers.
class Search {
public:
    explicit Search(std::span<const ChasePoint> points) : points_(std::ssize(points))
    {
        std::int64_t most = 0;
        for (const ChasePoint& point : points) {
            most = std::max(most, point.lines);
        }
        caches_ = rough_caches(most);
        Eigen::MatrixXd columns(points_, std::ssize(caches_) + 1);
        columns.col(0) = hit_column(points);
        ShareColumns shares(points);
        for (std::size_t i = 0; i < caches_.size(); ++i) {
            columns.col(static_cast<Eigen::Index>(i) + 1) = shares.of(caches_[i]);
        }
        products_ = columns.transpose() * columns;
        sums_ = columns.colwise().sum();
    }

    [[nodiscard]] RoughLevels best() const
    {
        Hierarchy best;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t levels = 0; levels <= most_levels; ++levels) {
            Hierarchy of_levels;
            std::vector<std::size_t> chosen;
            extend(chosen, levels, of_levels);
            if (criterion(of_levels) < least) {
                least = criterion(of_levels);
                best = std::move(of_levels);
            }
        }
        RoughLevels found{best.coefficients[0], {}, {}};
        double ns = found.hit_ns;
        for (std::size_t i = 0; i < best.caches.size(); ++i) {
            ns += best.coefficients[static_cast<Eigen::Index>(i) + 1];
            found.miss_ns.push_back(ns);
            found.lines.push_back(caches_[best.caches[i]].lines());
        }
        return found;
    }

private:
    /// Tries all that begin with `chosen` and have as many levels.
    void extend(std::vector<std::size_t>& chosen, std::size_t levels, Hierarchy& best) const
    {
        if (chosen.size() == levels) {
            keep_better(best, chosen);
            return;
        }
        for (std::size_t next = chosen.empty() ? 0 : chosen.back() + 1; next < caches_.size();
             ++next) {
            if (chosen.empty() ||
                caches_[next].lines() >= least_ratio * caches_[chosen.back()].lines()) {
                chosen.push_back(next);
                extend(chosen, levels, best);
                chosen.pop_back();
            }
        }
    }

    void keep_better(Hierarchy& best, const std::vector<std::size_t>& chosen) const
    {
        // Small ones, on the stack: there are millions.
        using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_levels + 1,
                                     most_levels + 1>;
        using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_levels + 1, 1>;
        const auto size = static_cast<Eigen::Index>(chosen.size()) + 1;
        const auto column = [&](Eigen::Index i) {
            return i == 0 ? 0
                          : static_cast<Eigen::Index>(chosen[static_cast<std::size_t>(i) - 1]) + 1;
        };
        Matrix normal(size, size);
        Vector right(size);
        for (Eigen::Index i = 0; i < size; ++i) {
            right[i] = sums_[column(i)];
            for (Eigen::Index j = 0; j < size; ++j) {
                normal(i, j) = products_(column(i), column(j));
            }
        }
        const Eigen::LDLT<Matrix> factors(normal);
        const Vector coefficients = factors.solve(right);
        // |A c - 1|^2 = n - c . A^T 1 where c solves the normal equations.
        const double squares = static_cast<double>(points_) - coefficients.dot(right);
        if (factors.info() == Eigen::Success && coefficients.allFinite() &&
            squares < best.squares && steps(coefficients)) {
            best = {chosen, coefficients, std::max(0.0, squares)};
        }
    }

    /// Whether each level takes enough longer than the one before; a single one is what the samples
    /// show.
    template <class Vector>
    [[nodiscard]] static bool steps(const Vector& coefficients)
    {
        const double least_step = coefficients.size() > 2 ? step_of_several : 0;
        double ns = coefficients[0];
        for (Eigen::Index i = 1; i < coefficients.size(); ++i) {
            if (coefficients[i] < least_step * ns) {
                return false;
            }
            ns += coefficients[i];
        }
        return coefficients[0] >= 0;
    }

    [[nodiscard]] double criterion(const Hierarchy& hierarchy) const
    {
        constexpr double least = 1e-8; // exact data: a residual of 0.01 % explains as much as none
        const auto count = static_cast<double>(points_);
        // size, shape, latency of each
        const auto parameters = static_cast<double>(1 + 3 * hierarchy.caches.size());
        return count * std::log(hierarchy.squares / count + least) + parameters * std::log(count);
    }

    Eigen::Index points_;
    std::vector<RandomSetCache> caches_;
    Eigen::MatrixXd products_; ///< of columns: the hit's, then each cache's
    Eigen::VectorXd sums_;     ///< of columns
};

} // namespace

RoughLevels rough_levels(std::span<const ChasePoint> points)
{
    check_chases(points);
    return Search(points).best();
}

} // namespace texelscope::model
