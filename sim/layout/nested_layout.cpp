// Layouts of nested blocks, such as 4x4:morton,row: levels from inner to outer,
// `WIDTHxHEIGHT:ORDER`, where the sides count blocks of the level below, and the order of the
// outermost level, which has no size of its own.

#include "sim/layout/nested_layout.hpp"

#include "base/error.hpp"
#include "base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string_view>

namespace texelscope::sim {
namespace {

constexpr const char* nested_remedy =
    "write levels from inner to outer, for example row, 4x4:row,row or 2x2:row,4x4:morton,row";

constexpr std::array order_names{"row", "column", "morton", "hilbert"};

StorageOrder parse_order(std::string_view word, const std::string& where)
{
    const auto found = std::find(order_names.begin(), order_names.end(), word);
    if (found == order_names.end()) {
        throw bad_input(fmt::format("'{}' is not a storage order", word), where,
                        "orders are row, column, morton, hilbert");
    }
    return static_cast<StorageOrder>(found - order_names.begin());
}

const char* order_name(StorageOrder order)
{
    return order_names[static_cast<std::size_t>(order)];
}

std::int32_t parse_side(std::string_view text, const std::string& where)
{
    std::int32_t side = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
    constexpr std::int32_t largest = 1 << 15;
    if (error != std::errc{} || end != text.data() + text.size() || side < 1 || side > largest) {
        throw bad_input(fmt::format("'{}' is not a block side from 1 to {}", text, largest), where,
                        nested_remedy);
    }
    return side;
}

bool power_of_two(std::int32_t n)
{
    return n > 0 && std::has_single_bit(static_cast<std::uint32_t>(n));
}

/// Throws bad_input where the order cannot store a block of that shape.
void check_level(const BlockLevel& level, const std::string& where)
{
    if (level.width < 1 || level.height < 1) {
        throw bad_input(
            fmt::format("a block has at least one cell: {}x{}", level.width, level.height), where);
    }
    if (level.order == StorageOrder::morton &&
        !(power_of_two(level.width) && power_of_two(level.height))) {
        throw bad_input(fmt::format("Morton order needs sides that are powers of two: {}x{}",
                                    level.width, level.height),
                        where);
    }
    if (level.order == StorageOrder::hilbert &&
        !(power_of_two(level.width) && level.width == level.height)) {
        throw bad_input(
            fmt::format("Hilbert order needs a square whose side is a power of two: {}x{}",
                        level.width, level.height),
            where);
    }
}

BlockLevel parse_level(std::string_view text, const std::string& where)
{
    const auto cross = text.find('x');
    const auto colon = text.find(':');
    if (cross == std::string_view::npos || colon == std::string_view::npos || cross > colon) {
        throw bad_input(fmt::format("'{}' is not a block", text), where, nested_remedy);
    }
    const BlockLevel level{parse_side(text.substr(0, cross), where),
                           parse_side(text.substr(cross + 1, colon - cross - 1), where),
                           parse_order(text.substr(colon + 1), where)};
    check_level(level, where);
    return level;
}

/// Bits of x and y interleaved, x in the lowest bit; where one side has more bits, those stay on
/// top.
std::int64_t morton_index(std::int32_t x, std::int32_t y, int bits_x, int bits_y)
{
    std::int64_t index = 0;
    int out = 0;
    for (int bit = 0; bit < std::max(bits_x, bits_y); ++bit) {
        if (bit < bits_x) {
            index |= std::int64_t{(x >> bit) & 1} << out++;
        }
        if (bit < bits_y) {
            index |= std::int64_t{(y >> bit) & 1} << out++;
        }
    }
    return index;
}

/// Distance along the Hilbert curve of side n (a power of two) from (0, 0) to (n-1, 0): at each
/// scale, the quadrant's rank, then the coordinates turned as the sub-curve of that quadrant is
/// (Hilbert 1891; rotation form).
std::int64_t hilbert_index(std::int32_t x, std::int32_t y, std::int32_t n)
{
    std::int64_t distance = 0;
    for (std::int32_t s = n / 2; s > 0; s /= 2) {
        const bool right = (x & s) != 0;
        const bool upper = (y & s) != 0;
        const std::int64_t rank = right ? (upper ? 2 : 3) : (upper ? 1 : 0);
        distance += rank * s * s;
        x &= s - 1;
        y &= s - 1;
        if (!upper) {
            if (right) {
                x = s - 1 - x;
                y = s - 1 - y;
            }
            std::swap(x, y);
        }
    }
    return distance;
}

} // namespace

NestedLayout parse_nested_layout(const std::string& text, const std::string& where)
{
    NestedLayout layout;
    std::string_view rest = text;
    while (true) {
        const auto comma = rest.find(',');
        if (comma == std::string_view::npos) {
            break;
        }
        layout.levels.push_back(parse_level(rest.substr(0, comma), where));
        rest.remove_prefix(comma + 1);
    }
    if (rest.find(':') != std::string_view::npos) {
        throw bad_input("the last level has no size", where, "end with row or column");
    }
    layout.outer = parse_order(rest, where);
    if (layout.outer != StorageOrder::row && layout.outer != StorageOrder::column) {
        throw bad_input("the last level is unbounded", where, "end with row or column");
    }
    return layout;
}

std::string to_string(const NestedLayout& layout)
{
    std::string text;
    for (const BlockLevel& level : layout.levels) {
        text += fmt::format("{}x{}:{},", level.width, level.height, order_name(level.order));
    }
    return text + order_name(layout.outer);
}

void check(const NestedLayout& layout, const std::string& where)
{
    for (const BlockLevel& level : layout.levels) {
        check_level(level, where);
    }
}

std::int64_t cell_index(const BlockLevel& level, std::int32_t x, std::int32_t y)
{
    switch (level.order) {
    case StorageOrder::row:
        return std::int64_t{y} * level.width + x;
    case StorageOrder::column:
        return std::int64_t{x} * level.height + y;
    case StorageOrder::morton:
        return morton_index(x, y, log2_of(level.width), log2_of(level.height));
    case StorageOrder::hilbert:
        return hilbert_index(x, y, level.width);
    }
    return 0;
}

} // namespace texelscope::sim
