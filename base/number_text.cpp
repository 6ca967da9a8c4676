#include "base/number_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace texelscope::base {

std::string number_text(std::optional<double> value)
{
    if (!value || !std::isfinite(*value)) {
        return std::string(dash);
    }
    if (std::abs(*value) >= 9999.5 && std::abs(*value) < 1e15) {
        return count_text(std::llround(*value));
    }
    return fmt::format("{:.4g}", *value == 0 ? 0.0 : *value); // no "-0"
}

std::string count_text(std::int64_t value)
{
    std::string digits = fmt::format("{}", value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string percent_text(std::optional<double> fraction)
{
    if (!fraction || !std::isfinite(*fraction)) {
        return std::string(dash);
    }
    constexpr double rounding = 1e-12; // of sums of numbers near 1: no share is so small
    const double percent = std::abs(*fraction) < rounding ? 0.0 : *fraction * 100;
    // Where "{:.3g}" would switch to an exponent.
    return std::abs(percent) >= 999.5 && std::abs(percent) < 1e15
               ? count_text(std::llround(percent)) + " %"
               : fmt::format("{:.3g} %", percent);
}

std::string time_text(std::optional<Nanoseconds> time, std::string_view micro)
{
    if (!time || !std::isfinite(time->value)) {
        return std::string(dash);
    }
    const std::array<std::pair<double, std::string_view>, 3> units{
        {{1e9, "s"}, {1e6, "ms"}, {1e3, micro}}};
    for (const auto& [size, unit] : units) {
        if (std::abs(time->value) >= size) {
            return fmt::format("{:.4g} {}", time->value / size, unit);
        }
    }
    return fmt::format("{} ns", number_text(time->value));
}

std::string bytes_text(std::optional<Bytes> bytes)
{
    if (!bytes) {
        return std::string(dash);
    }
    constexpr std::array<std::pair<double, std::string_view>, 3> units{
        {{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}}};
    const auto value = static_cast<double>(bytes->value);
    for (const auto& [size, unit] : units) {
        if (std::abs(value) >= size) {
            return fmt::format("{:.4g} {}", value / size, unit);
        }
    }
    return fmt::format("{} B", bytes->value);
}

} // namespace texelscope::base
