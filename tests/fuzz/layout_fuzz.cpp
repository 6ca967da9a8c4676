#include "sim/layout/texel_layout.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace texelscope::fuzz {
using namespace sim;

namespace {

void check_offsets(const TexelLayout& layout, Extent2D extent, std::int64_t bytes)
{
    std::vector<std::int64_t> offsets;
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            offsets.push_back(layout.offset({x, y}));
        }
    }
    std::sort(offsets.begin(), offsets.end());
    require(offsets.front() >= 0, "an offset is negative");
    require(offsets.back() + bytes <= layout.size().value, "a texel lies behind the image's size");
    for (std::size_t i = 1; i < offsets.size(); ++i) {
        require(offsets[i] - offsets[i - 1] >= bytes, "two texels overlap");
    }
}

void check_period(const TexelLayout& layout, Extent2D extent)
{
    const Translation period = layout.period();
    require(period.texels.width >= 1 && period.texels.height >= 1, "a period is empty");
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            const std::int64_t here = layout.offset({x, y});
            const std::int64_t right = std::int64_t{x} + period.texels.width;
            const std::int64_t below = std::int64_t{y} + period.texels.height;
            require(right >= extent.width ||
                        layout.offset({static_cast<std::int32_t>(right), y}) - here ==
                            period.x_bytes,
                    "the period does not hold along x");
            require(below >= extent.height ||
                        layout.offset({x, static_cast<std::int32_t>(below)}) - here ==
                            period.y_bytes,
                    "the period does not hold along y");
        }
    }
}

} // namespace

bool layout(std::string_view input)
{
    const auto end = std::min(input.find('\n'), input.size());
    const std::string text(input.substr(0, end));
    const auto byte = [&](std::size_t i) {
        return end + 1 + i < input.size() ? static_cast<unsigned char>(input[end + 1 + i]) : 7;
    };
    const Extent2D extent{1 + byte(0) % 70, 1 + byte(1) % 70};
    const std::int64_t bytes =
        std::vector<std::int64_t>{1, 2, 3, 4, 8, 12, 16, 16}[static_cast<std::size_t>(byte(2) % 8)];
    try {
        const LayoutSpec spec = parse_layout(text);
        require(parse_layout(to_string(spec)) == spec, "a layout does not print and parse back");
        const TexelLayout stored(spec, extent, Bytes{bytes});
        check_offsets(stored, extent, bytes);
        check_period(stored, extent);
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace texelscope::fuzz
