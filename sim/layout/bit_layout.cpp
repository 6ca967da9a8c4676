// Layouts whose place in a tile is given bit by bit, each bit the xor of bits of x and y. In text:
// `bits:WIDTHxHEIGHT:BIT,BIT,...`, lowest bit first, with `padWIDTHxHEIGHT` last where images are
// padded to multiples of that.

#include "sim/layout/bit_layout.hpp"

#include "base/error.hpp"
#include "base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <string_view>

namespace texelscope::sim {
namespace {

constexpr const char* remedy =
    "write the tile and its bits, for example bits:4x4:x0^y0,y0,x1^y1,y1";
constexpr std::int32_t largest_side = 1 << 15;
constexpr int coordinate_bits = 31;

std::int32_t parse_number(std::string_view text, const std::string& what, std::int32_t most,
                          const std::string& where)
{
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0 || number > most) {
        throw bad_input(fmt::format("'{}' is not {}", text, what), where, remedy);
    }
    return number;
}

Extent2D parse_sides(std::string_view text, const std::string& where)
{
    const std::string what = fmt::format("a size; sides are powers of two up to {}", largest_side);
    const auto cross = text.find('x');
    if (cross == std::string_view::npos) {
        throw bad_input(fmt::format("'{}' is not {}", text, what), where, remedy);
    }
    return {parse_number(text.substr(0, cross), what, largest_side, where),
            parse_number(text.substr(cross + 1), what, largest_side, where)};
}

/// Adds a bit to a mask; no bit may be named twice, for it would cancel itself.
void take(std::uint32_t& mask, int bit, std::string_view name, const std::string& where)
{
    if ((mask >> bit & 1U) != 0) {
        throw bad_input(fmt::format("'{}' is in one xor twice", name), where,
                        "leave both out: they cancel out");
    }
    mask |= 1U << bit;
}

IndexBit parse_bit(std::string_view text, const std::string& where)
{
    IndexBit bit;
    while (true) {
        const auto caret = text.find('^');
        const std::string_view name = text.substr(0, caret);
        if (name == "1") {
            std::uint32_t constant = bit.inverted ? 1 : 0;
            take(constant, 0, name, where);
            bit.inverted = true;
        } else if (name.starts_with('x') || name.starts_with('y')) {
            const int number =
                parse_number(name.substr(1),
                             fmt::format("a number of a bit, as in x0 to x{}", coordinate_bits - 1),
                             coordinate_bits - 1, where);
            take(name.front() == 'x' ? bit.x : bit.y, number, name, where);
        } else {
            throw bad_input(
                fmt::format("'{}' is not a bit", name), where,
                "bits are x0, x1, ..., y0, y1, ..., the constant 1, and xors of these as in x0^y3");
        }
        if (caret == std::string_view::npos) {
            return bit;
        }
        text.remove_prefix(caret + 1);
    }
}

bool is_side(std::int32_t side)
{
    return side >= 1 && side <= largest_side &&
           std::has_single_bit(static_cast<std::uint32_t>(side));
}

} // namespace

// Tiles of one texel lie in row order; only the padding to the pitch is left.
BitLayout linear_rows(std::int32_t pitch)
{
    return {{1, 1}, {}, {pitch, 1}};
}

BitLayout parse_bit_layout(const std::string& text, const std::string& where)
{
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        throw bad_input("the tile has no bits", where, remedy);
    }
    BitLayout layout;
    layout.tile = parse_sides(std::string_view(text).substr(0, colon), where);
    std::string_view rest = std::string_view(text).substr(colon + 1);
    for (bool more = !rest.empty(); more;) {
        const auto comma = rest.find(',');
        const std::string_view part = rest.substr(0, comma);
        more = comma != std::string_view::npos;
        if (part.starts_with("pad")) {
            if (more) {
                throw bad_input("bits follow the padding", where, "write the padding last");
            }
            layout.padding = parse_sides(part.substr(3), where);
        } else {
            layout.bits.push_back(parse_bit(part, where));
        }
        rest.remove_prefix(more ? comma + 1 : rest.size());
    }
    check(layout, where);
    return layout;
}

std::string to_string(const BitLayout& layout)
{
    std::string text = fmt::format("bits:{}x{}:", layout.tile.width, layout.tile.height);
    const char* separator = "";
    for (const IndexBit& bit : layout.bits) {
        text += separator;
        separator = "";
        for (const auto& [letter, mask] : {std::pair{'x', bit.x}, std::pair{'y', bit.y}}) {
            for (int i = 0; i < coordinate_bits; ++i) {
                if ((mask >> i & 1U) != 0) {
                    text += fmt::format("{}{}{}", separator, letter, i);
                    separator = "^";
                }
            }
        }
        if (bit.inverted) {
            text += fmt::format("{}1", separator);
        }
        separator = ",";
    }
    if (layout.padding != Extent2D{1, 1}) {
        text += fmt::format("{}pad{}x{}", separator, layout.padding.width, layout.padding.height);
    }
    return text;
}

void check(const BitLayout& layout, const std::string& where)
{
    for (const Extent2D sides : {layout.tile, layout.padding}) {
        if (!is_side(sides.width) || !is_side(sides.height)) {
            throw bad_input(fmt::format("sides must be powers of two up to {}: {}x{}", largest_side,
                                        sides.width, sides.height),
                            where);
        }
    }
    const int width_bits = log2_of(layout.tile.width);
    const auto needed = static_cast<std::size_t>(width_bits + log2_of(layout.tile.height));
    if (layout.bits.size() != needed) {
        throw bad_input(
            fmt::format("a tile of {}x{} texels takes {} bits, not {}", layout.tile.width,
                        layout.tile.height, needed, layout.bits.size()),
            where, "bits of x and y above the tile need no mention: tiles lie in row order");
    }
    // Gaussian elimination: each bit as a row over the tile's own bits of x and y. A row that the
    // rows before it can make up leaves nothing.
    std::vector<std::uint32_t> independent;
    for (std::size_t i = 0; i < layout.bits.size(); ++i) {
        const IndexBit& bit = layout.bits[i];
        if (((bit.x | bit.y) >> coordinate_bits) != 0) {
            throw bad_input(fmt::format("bit {} takes part of a coordinate above bit {}", i,
                                        coordinate_bits - 1),
                            where);
        }
        std::uint32_t row = (bit.x & static_cast<std::uint32_t>(layout.tile.width - 1)) |
                            (bit.y & static_cast<std::uint32_t>(layout.tile.height - 1))
                                << width_bits;
        for (const std::uint32_t other : independent) {
            row = std::min(row, row ^ other); // clears the leading bit of `other` where it is set
        }
        if (row == 0) {
            throw bad_input(
                fmt::format("two texels of a tile would share a place: within a tile of {}x{}, bit "
                            "{} follows from the "
                            "bits before it",
                            layout.tile.width, layout.tile.height, i),
                where, "every bit of x and y below the tile's sides must be told from the others");
        }
        independent.push_back(row);
    }
}

Extent2D padded(const BitLayout& layout, Extent2D extent)
{
    const auto round_up = [](std::int32_t side, std::int32_t tile, std::int32_t padding) {
        // powers of two: one divides the other
        const std::int64_t multiple = std::max(tile, padding);
        const std::int64_t result = (side + multiple - 1) / multiple * multiple;
        if (result > std::numeric_limits<std::int32_t>::max()) {
            throw bad_input(
                fmt::format("an image side of {} texels has no room for its padding", side), {},
                "use smaller images");
        }
        return static_cast<std::int32_t>(result);
    };
    return {round_up(extent.width, layout.tile.width, layout.padding.width),
            round_up(extent.height, layout.tile.height, layout.padding.height)};
}

} // namespace texelscope::sim
