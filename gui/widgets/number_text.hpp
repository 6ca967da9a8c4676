#pragma once

#include "base/units.hpp"
#include "traces/image.hpp"

#include <QString>
#include <cstdint>
#include <vector>

namespace texelscope::gui {

/// "1,234,567".
[[nodiscard]] QString count_text(std::int64_t count);
/// "12.3 %"; "0.0 %" where the whole is zero.
[[nodiscard]] QString share_text(std::int64_t part, std::int64_t whole);
/// Three or four digits with a unit from ns to s, e.g. "12.35 µs".
[[nodiscard]] QString time_text(Nanoseconds time);
/// "96 B", "1 KiB", "12.5 KiB", "3.2 MiB".
[[nodiscard]] QString bytes_text(Bytes bytes);

/// "4×8".
[[nodiscard]] QString size_text(Extent2D extent);

/// Ascending whole numbers from 0 to at most `max`, in steps of 1, 2 or 5 times a power of ten: at most `wanted` (but
/// two, if need be) beside 0, and at least one. {0} where max is 0.
[[nodiscard]] std::vector<std::int64_t> linear_ticks(std::int64_t max, int wanted);
/// 0, 1, 10, 100, ... up to `max`, and `max` itself where it is not near the last one.
[[nodiscard]] std::vector<std::int64_t> logarithmic_ticks(std::int64_t max);

} // namespace texelscope::gui
