#pragma once

#include "base/layers.hpp"

#include <array>
#include <optional>
#include <span>

namespace texelscope::experiments {

/// How well a judge's times of kernels agree with their true times.
struct Agreement {
    /// Kendall's tau-b; nothing where the judge or the truth gives all kernels the same time.
    std::optional<double> tau;
    /// True time of the judge's first choice over that of the best kernel. If the judge has several
    /// first choices, the geometric mean of their times counts. The regret is this less 1.
    double choice = 1;
    /// Error of a time: the larger of the two times over the smaller, less 1. The three values are
    /// those that 10, 50 and 90 % of the kernels stay below.
    std::array<double, 3> error{};
};
/// The agreement of two lists with a time for each kernel, at least one, all positive. Throws
/// bad_input where their lengths differ.
[[nodiscard]] Agreement agreement_of(std::span<const double> judge, std::span<const double> truth);

} // namespace texelscope::experiments
