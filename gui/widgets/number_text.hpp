#pragma once

#include "base/number_text.hpp"
#include "base/units.hpp"
#include "traces/image.hpp"

#include <QString>
#include <cstdint>
#include <vector>

namespace texelscope::gui {

// As base/number_text.hpp has them.
[[nodiscard]] inline QString count_text(std::int64_t count)
{
    return QString::fromStdString(base::count_text(count));
}
[[nodiscard]] inline QString time_text(Nanoseconds time)
{
    return QString::fromStdString(base::time_text(time));
}
[[nodiscard]] inline QString bytes_text(Bytes bytes)
{
    return QString::fromStdString(base::bytes_text(bytes));
}
/// "12.3 %"; "0.0 %" where the whole is zero.
[[nodiscard]] QString share_text(std::int64_t part, std::int64_t whole);

/// "4×8".
[[nodiscard]] QString size_text(Extent2D extent);

/// 0, 1, 10, 100, ... up to `max`, and `max` itself where it is not near the last one.
[[nodiscard]] std::vector<std::int64_t> logarithmic_ticks(std::int64_t max);

} // namespace texelscope::gui
