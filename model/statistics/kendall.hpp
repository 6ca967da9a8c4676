#pragma once

#include "base/layers.hpp"

#include <optional>
#include <span>

namespace texelscope::model {

/// Kendall's tau-b of two orders of the same things: with n0 = n(n-1)/2 pairs, n1 and n2 of them
/// tied in a and in b,
///   (concordant - discordant) / sqrt((n0 - n1) (n0 - n2)),
/// where a pair tied in either counts as neither. 1: same order, -1: opposite. Nothing where either
/// is constant or has fewer than two values. O(n log n), after Knight (1966). Throws bad_input
/// where the lengths differ or a value is NaN.
[[nodiscard]] std::optional<double> kendall_tau_b(std::span<const double> a,
                                                  std::span<const double> b);

/// What it costs to trust the judge: the true cost of the judge's cheapest choice over the least
/// true cost, minus 1. Of choices that the judge holds equal, the first. Throws bad_input where the
/// lengths differ, there is no choice, a value is NaN, or a true cost is not positive.
[[nodiscard]] double regret(std::span<const double> judge, std::span<const double> truth);

} // namespace texelscope::model
