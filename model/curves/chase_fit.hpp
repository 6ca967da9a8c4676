#pragma once

#include "model/curves/cache_curve.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <map>
#include <span>
#include <utility>

namespace texelscope::model {

/// Throws bad_input for fewer than 4 chases, or one without a positive latency, a line or a pass.
void check_chases(std::span<const ChasePoint> points);

// Latencies of chases as a sum of columns times coefficients that are not negative. Each row of a column has been divided by its
// chase's latency, so that least squares are those of the relative residuals, and the right-hand side is 1.

/// The column of what every read takes.
[[nodiscard]] Eigen::VectorXd hit_column(std::span<const ChasePoint> points);

/// Columns of what a miss takes more; sets of the same kind are simulated once.
class ShareColumns {
public:
    explicit ShareColumns(std::span<const ChasePoint> points) : points_(points) {}
    [[nodiscard]] Eigen::VectorXd of(const RandomSetCache& cache);

private:
    std::span<const ChasePoint> points_;
    std::map<std::pair<std::int64_t, ReplacementKind>, SetMisses> sets_;
};

} // namespace texelscope::model
