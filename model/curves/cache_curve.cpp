#include "model/curves/cache_curve.hpp"

#include "base/error.hpp"
#include "sim/cache/cache.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace texelscope::model {
namespace {

/// Share of misses of a set over which `lines` lines go round, pass by pass from an empty one.
std::vector<double> misses_by_pass(std::int64_t ways, ReplacementKind replacement,
                                   std::int64_t lines)
{
    constexpr int settled = 12;
    // Of random victims the mean over sets counts.
    const std::int64_t sets = replacement == ReplacementKind::random ? 16 : 1;
    constexpr Bytes line{64};
    CacheGeometry geometry;
    geometry.line = line;
    geometry.capacity = line * (ways * sets);
    geometry.ways = static_cast<int>(ways);
    geometry.replacement = replacement;
    Cache simulated(geometry, line * (lines * sets));
    std::vector<double> shares;
    std::int64_t before = 0;
    for (int pass = 0; pass < settled; ++pass) {
        for (std::int64_t i = 0; i < lines * sets; ++i) {
            simulated.lookup(i * line.value);
        }
        const std::int64_t misses = simulated.statistics().misses();
        shares.push_back(static_cast<double>(misses - before) / static_cast<double>(lines * sets));
        before = misses;
    }
    return shares;
}

struct Fit {
    Eigen::VectorXd coefficients;
    /// Sum of squared relative residuals; infinite: no fit.
    double squares = std::numeric_limits<double>::infinity();
};

Fit fit(const Eigen::MatrixXd& columns)
{
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(columns.rows());
    const Eigen::MatrixXd normal = columns.transpose() * columns;
    const Eigen::LDLT<Eigen::MatrixXd> factors(normal);
    Fit found;
    found.coefficients = factors.solve(columns.transpose() * ones);
    if (factors.info() == Eigen::Success && found.coefficients.allFinite() &&
        found.coefficients.minCoeff() >= 0) {
        found.squares = (columns * found.coefficients - ones).squaredNorm();
    }
    return found;
}

} // namespace

void check_chases(std::span<const ChasePoint> points)
{
    constexpr std::size_t fewest = 4;
    if (points.size() < fewest) {
        throw bad_input("too few chases to fit a cache to", "cache fit",
                        "measure at least 4 numbers of lines");
    }
    for (const ChasePoint& point : points) {
        if (!(point.ns > 0) || point.lines < 1 || point.warm_passes < 1 || point.passes < 1) {
            throw bad_input("a chase has no positive latency, no line or no pass", "cache fit");
        }
    }
}

Eigen::VectorXd hit_column(std::span<const ChasePoint> points)
{
    Eigen::VectorXd column(std::ssize(points));
    for (Eigen::Index i = 0; i < column.size(); ++i) {
        column[i] = 1 / points[static_cast<std::size_t>(i)].ns;
    }
    return column;
}

Eigen::VectorXd ShareColumns::of(const RandomSetCache& cache)
{
    const auto key = std::pair(cache.ways, cache.replacement);
    const SetMisses& set = sets_.try_emplace(key, cache.ways, cache.replacement).first->second;
    Eigen::VectorXd column(std::ssize(points_));
    for (Eigen::Index i = 0; i < column.size(); ++i) {
        const ChasePoint& point = points_[static_cast<std::size_t>(i)];
        column[i] = miss_share(cache.sets, set, point) / point.ns;
    }
    return column;
}

SetMisses::SetMisses(std::int64_t ways, ReplacementKind replacement)
    : ways_(ways), all_miss_from_(ways + 1)
{
    if (replacement == ReplacementKind::lru || replacement == ReplacementKind::fifo) {
        return;
    }
    // times the ways: beyond, the little that random victims leave is left out
    constexpr std::int64_t far = 4;
    all_miss_from_ = far * ways + 1;
    by_pass_.emplace_back();
    for (std::int64_t n = 1; n < all_miss_from_; ++n) {
        by_pass_.push_back(misses_by_pass(ways, replacement, n));
    }
}

double SetMisses::operator()(std::int64_t lines, const ChasePoint& chase) const
{
    if (lines >= all_miss_from_ || by_pass_.empty()) {
        return lines > ways_ ? 1 : 0;
    }
    const std::vector<double>& shares = by_pass_[static_cast<std::size_t>(lines)];
    double sum = 0;
    for (int pass = chase.warm_passes; pass < chase.warm_passes + chase.passes; ++pass) {
        sum += shares[std::min(static_cast<std::size_t>(pass), shares.size() - 1)];
    }
    return sum / chase.passes;
}

double miss_share(std::int64_t sets, const SetMisses& set, const ChasePoint& chase)
{
    if (sets == 1) {
        return set(chase.lines, chase);
    }
    const double trials = static_cast<double>(chase.lines) - 1;
    const double p = 1 / static_cast<double>(sets);
    double hits = 0;
    for (std::int64_t n = 1; n < set.all_miss_from() && n <= chase.lines; ++n) {
        const double others = static_cast<double>(n) - 1;
        const double log_probability = std::lgamma(trials + 1) - std::lgamma(others + 1) -
                                       std::lgamma(trials - others + 1) + others * std::log(p) +
                                       (trials - others) * std::log1p(-p);
        hits += std::exp(log_probability) * (1 - set(n, chase));
    }
    return std::clamp(1 - hits, 0.0, 1.0);
}

double unlikeliness(const RandomSetCache& cache)
{
    const auto ways = static_cast<std::uint64_t>(cache.ways);
    double points = 0;
    if (cache.sets > 1 && !std::has_single_bit(ways)) {
        // 6, 12 and 24 ways are built
        points += ways % 3 == 0 && std::has_single_bit(ways / 3) ? 3 : 6;
    }
    // Slices need not be as many as a power of two.
    const auto sets = static_cast<std::uint64_t>(cache.sets);
    points += std::log2(static_cast<double>(sets >> std::countr_zero(sets)));
    return points + (cache.replacement == ReplacementKind::lru ? 0 : 2);
}

std::vector<RandomSetCache> cache_candidates(std::int64_t least, std::int64_t most)
{
    constexpr std::int64_t most_ways = 64;
    std::vector<RandomSetCache> candidates;
    const auto add = [&](const RandomSetCache& cache) {
        if (cache.lines() >= least && cache.lines() <= most &&
            std::find(candidates.begin(), candidates.end(), cache) == candidates.end()) {
            candidates.push_back(cache);
        }
    };
    for (std::int64_t size = 8; size <= most; size *= 2) {
        for (std::int64_t eighths = 8; eighths < 16; ++eighths) {
            add({1, size * eighths / 8});
        }
    }
    for (std::int64_t sets = 1; sets <= most; sets *= 2) {
        for (std::int64_t ways = 1; ways <= most_ways; ++ways) {
            add({sets, ways});
            // tree-PLRU of two ways is LRU
            if (ways > 2 && std::has_single_bit(static_cast<std::uint64_t>(ways))) {
                add({sets, ways, ReplacementKind::plru});
                add({sets, ways, ReplacementKind::random});
            }
        }
    }
    constexpr std::int64_t large = std::int64_t{1} << 15, most_slices = 31;
    for (std::int64_t odd = 3; odd <= most_slices; odd += 2) {
        for (std::int64_t sets = odd; sets <= most; sets *= 2) {
            for (const std::int64_t ways : {8, 16, 32}) {
                if (sets * ways >= large) {
                    add({sets, ways});
                }
            }
        }
    }
    return candidates;
}

std::vector<CacheFit> fit_caches(std::span<const ChasePoint> points,
                                 std::span<const RandomSetCache> candidates, std::size_t keep)
{
    check_chases(points);
    Eigen::MatrixXd columns(std::ssize(points), 2);
    columns.col(0) = hit_column(points);
    ShareColumns shares(points);
    std::vector<CacheFit> fits;
    const auto count = static_cast<double>(points.size());
    for (const RandomSetCache& cache : candidates) {
        columns.col(1) = shares.of(cache);
        const Fit levels = fit(columns);
        if (std::isfinite(levels.squares)) {
            const double hit = levels.coefficients[0];
            constexpr double least = 1e-6; // a residual of 0.1 % explains as much as none
            const double mean = levels.squares / count;
            fits.push_back({cache, hit, hit + levels.coefficients[1], std::sqrt(mean),
                            count * std::log(mean + least) + unlikeliness(cache)});
        }
    }
    std::stable_sort(fits.begin(), fits.end(), [](const CacheFit& a, const CacheFit& b) {
        return a.criterion < b.criterion;
    });
    fits.resize(std::min(keep, fits.size()));
    return fits;
}

} // namespace texelscope::model
