#pragma once

#include <span>
#include <vector>

namespace texelscope::gui {

/// A logarithmic axis from `low` to `high`, both above zero.
struct LogAxis {
    double low = 1;
    double high = 10;

    /// Where a value above zero lies: 0 at the low end, 1 at the high end.
    [[nodiscard]] double place(double value) const;
    /// Ascending, all on the axis, no two nearer than 1/most of its length: as fine as that allows of tenths, whole
    /// numbers, 1-2-5 and 1 times powers of ten, and every so many powers of ten.
    [[nodiscard]] std::vector<double> ticks(int most) const;
};

/// The axis that holds the values, with a margin; the values that are not above zero are passed over.
[[nodiscard]] LogAxis log_axis(std::span<const double> values);

} // namespace texelscope::gui
