#pragma once

#include "sim/cache/cache_geometry.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::model {

/// A cache as a cyclic chase over random lines sees it: lines that fall into its sets at random.
struct RandomSetCache {
    std::int64_t sets = 1;
    std::int64_t ways = 1;
    ReplacementKind replacement = ReplacementKind::lru; ///< FIFO looks like LRU to a cyclic chase

    [[nodiscard]] std::int64_t lines() const { return sets * ways; }
    bool operator==(const RandomSetCache&) const = default;
};

/// A chase that goes round and round over different lines, drawn at random: how many, after how
/// many passes timing begins, over how many it goes on, and the latency of a read, the mean over
/// draws.
struct ChasePoint {
    std::int64_t lines = 0;
    int warm_passes = 2;
    int passes = 1;
    double ns = 0;
};

/// Share g(n) of misses of one set of W ways over which n lines go round, in the passes that are
/// timed: for LRU and FIFO 0 up to n = W and 1 beyond; for others it is simulated from an empty
/// set. (Tree-PLRU comes to miss as often as LRU, but only after some passes, which tells them
/// apart.)
class SetMisses {
public:
    SetMisses(std::int64_t ways, ReplacementKind replacement);
    [[nodiscard]] double operator()(std::int64_t lines, const ChasePoint& chase) const;
    /// The number of lines from which on every read misses.
    [[nodiscard]] std::int64_t all_miss_from() const { return all_miss_from_; }

private:
    std::int64_t ways_;
    std::int64_t all_miss_from_;
    std::vector<std::vector<double>> by_pass_; ///< [n][pass]; empty for LRU
};

/// Expected share of misses of a chase over N lines from an empty cache of S sets:
///
///     f(N) = sum over n of P(Binomial(N - 1, 1/S) = n - 1) g(n)
[[nodiscard]] double miss_share(std::int64_t sets, const SetMisses& set, const ChasePoint& chase);

/// A level of caches that explains chases: latency = hit + (miss - hit) f(lines).
struct CacheFit {
    RandomSetCache cache;
    double hit_ns = 0;
    double miss_ns = 0;
    double error = 0;     ///< root of the mean squared relative residual
    double criterion = 0; ///< what fits are ordered by, see fit_caches()
};

/// What fit_caches() adds to a candidate's criterion for being less likely a design than others, in
/// the units of twice a log likelihood: ways and sets that are no power of two, and policies other
/// than LRU.
[[nodiscard]] double unlikeliness(const RandomSetCache& cache);

/// Caches with 2^k sets of 1 to 64 ways, and with one set of 1, 1 1/8, .. 1 7/8 times a power of
/// two lines, that have from `least` to `most` lines; of 32,768 lines and more also with up to 31
/// times as many sets of 8, 16 or 32 ways (slices); every replacement policy that a chase tells
/// apart (of random only powers of two, of tree-PLRU as well).
[[nodiscard]] std::vector<RandomSetCache> cache_candidates(std::int64_t least, std::int64_t most);

/// The fits of candidates to the points, best first, `keep` of them; hit and miss are fitted too,
/// by least squares of the relative residuals. Best is the least n log(mean squared residual) +
/// unlikeliness(). Throws bad_input for fewer than 4 points or a latency that is not positive.
[[nodiscard]] std::vector<CacheFit> fit_caches(std::span<const ChasePoint> points,
                                               std::span<const RandomSetCache> candidates,
                                               std::size_t keep);

/// Throws bad_input for fewer than 4 chases, or one without a positive latency, a line or a pass.
void check_chases(std::span<const ChasePoint> points);

// Latencies of chases as a sum of columns times coefficients that are not negative. Each row of a
// column has been divided by its chase's latency, so that least squares are those of the relative
// residuals, and the right-hand side is 1.

/// The column whose coefficient is the time that every read takes.
[[nodiscard]] Eigen::VectorXd hit_column(std::span<const ChasePoint> points);

/// Makes the columns whose coefficient is the extra time of a miss. Sets of the same kind are
/// simulated once.
class ShareColumns {
public:
    explicit ShareColumns(std::span<const ChasePoint> points) : points_(points) {}
    [[nodiscard]] Eigen::VectorXd of(const RandomSetCache& cache);

private:
    std::span<const ChasePoint> points_;
    std::map<std::pair<std::int64_t, ReplacementKind>, SetMisses> sets_;
};

} // namespace texelscope::model
