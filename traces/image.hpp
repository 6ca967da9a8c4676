#pragma once

#include "base/units.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>

namespace texelscope::traces {

/// One picture element: x counts columns, y counts rows, both from the top left corner.
struct Texel {
    std::int32_t x = 0;
    std::int32_t y = 0;

    auto operator<=>(const Texel&) const = default;
};

/// Size of an image in texels.
struct Extent2D {
    std::int32_t width = 0;
    std::int32_t height = 0;

    auto operator<=>(const Extent2D&) const = default;

    [[nodiscard]] constexpr bool contains(Texel t) const
    {
        return t.x >= 0 && t.y >= 0 && t.x < width && t.y < height;
    }
    /// The nearest texel inside.
    [[nodiscard]] constexpr Texel clamp(Texel t) const
    {
        return {std::clamp(t.x, 0, width - 1), std::clamp(t.y, 0, height - 1)};
    }
    [[nodiscard]] constexpr std::int64_t area() const { return std::int64_t{width} * height; }
};

/// What a read outside of the image does (OpenCL samplers CLK_ADDRESS_CLAMP and
/// CLK_ADDRESS_CLAMP_TO_EDGE).
enum class AddressMode {
    border, ///< returns the border colour (zero) and touches no memory
    edge,   ///< reads the nearest texel of the edge
};

/// A two-dimensional image as the texture unit sees it.
struct Image {
    std::string name;
    Extent2D extent;
    Bytes bytes_per_texel{16};
    AddressMode address_mode = AddressMode::border;
    bool buffer = false; ///< it is a buffer, whose texels lie in memory row by row
    /// More than 0 for an image that is made from a part of a buffer: its texels lie row by row,
    /// too, and each row is padded to a multiple of so many texels. 0 for an image that is stored
    /// as the device stores images.
    std::int32_t row_multiple = 0;

    bool operator==(const Image&) const = default;
};

/// Whether a name can stand in a declaration and in a row of a CSV trace: without commas, spaces
/// and control characters.
[[nodiscard]] bool is_plain_name(const std::string& name);

/// The image declared by "ID:WIDTHxHEIGHTxBYTES", e.g. "A:64x64x16".
/// Throws bad_input where the text is malformed or a number is out of range.
[[nodiscard]] Image parse_image(const std::string& text);

} // namespace texelscope::traces
