#include "workbench/kernel_logs/tvm_images.hpp"

#include <charconv>
#include <string_view>

namespace texelscope::workbench::kernel_logs {
namespace {

constexpr double by_size_since = 1659398400;    // 2022-08-02
constexpr double in_buffers_since = 1670457600; // 2022-12-08

/// The number behind `before` in a text; 0 where there is none.
std::int64_t number_behind(std::string_view text, std::string_view before)
{
    const std::size_t at = text.find(before);
    std::int64_t number = 0;
    if (at != std::string_view::npos) {
        const std::string_view rest = text.substr(at + before.size());
        std::from_chars(rest.data(), rest.data() + rest.size(), number);
    }
    return number;
}

} // namespace

TvmAge tvm_age(const LogRow& row)
{
    const std::int64_t minor = number_behind(row.tvm_version, "0.");
    if (minor >= 11 && row.timestamp >= in_buffers_since) {
        return TvmAge::weights_in_buffers;
    }
    return minor >= 10 && row.timestamp >= by_size_since ? TvmAge::by_size : TvmAge::first;
}

ImageRows image_rows(const std::array<std::int64_t, 4>& dimensions, std::int64_t limit)
{
    const auto [a, b, c, d] = dimensions;
    if (a * b * c < limit && d < limit) {
        return ImageRows::three;
    }
    return a * b < limit && c * d < limit ? ImageRows::two : ImageRows::one;
}

std::int64_t texture_limit(const LogRow& row)
{
    constexpr std::int64_t usual = 16384;
    const std::int64_t given = number_behind(row.target, "-texture_spatial_limit=");
    return given > 0 ? given : usual;
}

} // namespace texelscope::workbench::kernel_logs
