#pragma once

#include "traces/image.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::sim {

/// One bit of a texel's place in its tile: the xor of bits of x, of bits of y, and a constant.
struct IndexBit {
    std::uint32_t x = 0;   ///< mask of the bits of x that take part
    std::uint32_t y = 0;   ///< mask of the bits of y
    bool inverted = false; ///< xor 1

    bool operator==(const IndexBit&) const = default;
};

/// Bit i of x, or of y, alone.
[[nodiscard]] constexpr IndexBit x_bit(int i)
{
    return {.x = 1U << i};
}
[[nodiscard]] constexpr IndexBit y_bit(int i)
{
    return {.y = 1U << i};
}
[[nodiscard]] constexpr IndexBit operator^(const IndexBit& a, const IndexBit& b)
{
    return {a.x ^ b.x, a.y ^ b.y, a.inverted != b.inverted};
}

/// A storage layout that is linear over bits (GF(2)): texels lie in tiles of `tile` texels, whose
/// sides are powers of two; bit i of a texel's place in its tile is bits[i]; tiles lie in row
/// order. The bits of x and y below the tile's sides must reach each place of a tile once (full
/// rank). Bits above its sides may take part too: they are constant within a tile, and so move
/// texels about inside of it from one tile to the next (a swizzle). The image is padded to whole
/// tiles, and to multiples of `padding`.
///
/// Text form: "bits:" tile ":" bits from the lowest up, then, if needed, the padding; each bit
/// names what it is the xor of, the constant as 1. "bits:4x4:x0^y0,y0,x1^y1,y1" is a U-shaped walk;
/// "bits:2x2:x0,y0^x1,pad64x16" pads to multiples of 64x16 texels; "bits:1x1:pad64x1" is linear
/// with rows of whole multiples of 64 texels.
struct BitLayout {
    Extent2D tile{1, 1};
    std::vector<IndexBit> bits;
    Extent2D padding{1, 1};

    bool operator==(const BitLayout&) const = default;
};

/// Rows one after the other, each of a whole multiple of `pitch` texels (a power of two).
[[nodiscard]] BitLayout linear_rows(std::int32_t pitch);

/// Reads what follows "bits:". Throws bad_input for malformed text and for what check() refuses.
/// `where` is what messages call the layout.
[[nodiscard]] BitLayout parse_bit_layout(const std::string& text, const std::string& where);
/// With "bits:" in front; bits of x, then of y, each ascending, then the constant.
[[nodiscard]] std::string to_string(const BitLayout& layout);

/// Throws bad_input where a side is no power of two up to 32768, where there are not as many bits
/// as the tile has texels (as a power of two), or where two texels of a tile would share a place.
void check(const BitLayout& layout, const std::string& where);

/// Size of an image in texels with its padding.
[[nodiscard]] Extent2D padded(const BitLayout& layout, Extent2D extent);

} // namespace texelscope::sim
