#pragma once

#include "base/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace texelscope::base {

// Numbers as a reader wants them. A value that is missing or not finite is a dash.
inline constexpr std::string_view dash = "\u2013";

/// Four significant digits, without trailing zeros; whole numbers from 10,000 on.
[[nodiscard]] std::string number_text(std::optional<double> value);
/// Groups of three digits: 1,234,567.
[[nodiscard]] std::string count_text(std::int64_t value);
/// 0.123 -> "12.3 %".
[[nodiscard]] std::string percent_text(std::optional<double> fraction);
/// In ns, µs (written as `micro`), ms or s.
[[nodiscard]] std::string time_text(std::optional<Nanoseconds> time,
                                    std::string_view micro = "\u00B5s");
/// In B, KiB, MiB or GiB.
[[nodiscard]] std::string bytes_text(std::optional<Bytes> bytes);

} // namespace texelscope::base
