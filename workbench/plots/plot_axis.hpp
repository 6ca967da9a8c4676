#pragma once

#include "base/layers.hpp"

#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::plots {

/// An axis from `low` to `high`, which may be the smaller one; on a logarithmic one both are above
/// zero.
struct PlotAxis {
    double low = 0;
    double high = 1;
    bool log = false;

    /// Where a value lies: 0 at the low end, 1 at the high end; not finite where it has no place.
    [[nodiscard]] double place(double value) const;
    [[nodiscard]] double value_at(double place) const;

    /// Ascending, all on the axis, no two nearer than 1/most of its length. On a linear axis the
    /// multiples of 1, 2 or 5 times a power of ten that are as near as that allows; on a
    /// logarithmic one at least one, as fine as it allows of tenths, whole numbers, 1-2-5 and 1
    /// times powers of ten, and every so many powers of ten.
    [[nodiscard]] std::vector<double> ticks(int most) const;

    bool operator==(const PlotAxis&) const = default;
};

/// The linear axis that holds zero and the values from `low` to `high`, and ends at multiples of a
/// step of 1, 2 or 5 times a power of ten: as small a one as `steps` of them over the values allow.
/// From 0 to 1 where all are zero.
[[nodiscard]] PlotAxis linear_axis(double low, double high, int steps = 5);

/// The logarithmic axis that holds the values, with a margin; those that are not above zero are
/// passed over.
[[nodiscard]] PlotAxis log_axis(std::span<const double> values);

/// A value as it stands beside an axis: six digits at most, "2e5" for what is very large or small.
[[nodiscard]] std::string tick_text(double value);

} // namespace texelscope::workbench::plots
