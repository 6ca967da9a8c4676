#pragma once

#include "base/layers.hpp"

#include <array>
#include <optional>
#include <span>

namespace texelscope::experiments {

/// How the times that a judge gives kernels agree with those that they take.
struct Agreement {
    /// Kendall's tau-b; nothing where one of both holds all kernels alike.
    std::optional<double> tau;
    /// Time of the judge's first choice over the best; where some are alike to it, their geometric
    /// mean. The regret is that less one.
    double choice = 1;
    /// The larger of both times over the smaller, less one: what 10, 50 and 90 % of the kernels
    /// stay below.
    std::array<double, 3> error{};
};
/// Of one time or more each, all positive. Throws bad_input where their numbers differ.
[[nodiscard]] Agreement agreement_of(std::span<const double> judge, std::span<const double> truth);

} // namespace texelscope::experiments
