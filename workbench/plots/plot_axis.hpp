#pragma once

#include "base/layers.hpp"

#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::plots {

/// An axis from `low` to `high`. `high` may be below `low`. On a logarithmic axis both are
/// positive.
struct PlotAxis {
    double low = 0;
    double high = 1;
    bool log = false;

    /// Where a value lies on the axis: 0 at `low`, 1 at `high`; not finite where it has no place.
    [[nodiscard]] double place(double value) const;
    [[nodiscard]] double value_at(double place) const;

    /// Values for ticks: ascending, all on the axis, and no two nearer to each other than 1/most of
    /// its length. On a linear axis they are the densest multiples of 1, 2 or 5 times a power of
    /// ten that this allows. On a logarithmic axis there is at least one; they are the densest of
    /// these series: tenths, whole numbers, 1-2-5 and 1 times powers of ten, and every n-th power
    /// of ten.
    [[nodiscard]] std::vector<double> ticks(int most) const;

    bool operator==(const PlotAxis&) const = default;
};

/// The linear axis that holds zero and the values from `low` to `high`, and ends at multiples of a
/// step. The step is 1, 2 or 5 times a power of ten, the smallest that needs no more than about
/// `steps` steps over the values. From 0 to 1 where all values are zero.
[[nodiscard]] PlotAxis linear_axis(double low, double high, int steps = 5);

/// The logarithmic axis that holds the values, with a margin. Values that are not positive are
/// ignored.
[[nodiscard]] PlotAxis log_axis(std::span<const double> values);

/// A value as it stands beside an axis: six digits at most, "2e5" for what is very large or small.
[[nodiscard]] std::string tick_text(double value);

} // namespace texelscope::workbench::plots
