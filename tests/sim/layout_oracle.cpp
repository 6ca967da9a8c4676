#include "tests/sim/layout_oracle.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

namespace texelscope::test {
using namespace sim;

namespace {

std::vector<Texel> morton(std::int32_t w, std::int32_t h)
{
    if (w == 1 && h == 1) {
        return {{0, 0}};
    }
    // Squares follow each other along the longer side; a square is four quarters, right before
    // down.
    const std::int32_t part_w = w >= h ? w / 2 : w;
    const std::int32_t part_h = h >= w ? h / 2 : h;
    std::vector<Texel> all;
    for (std::int32_t y = 0; y < h; y += part_h) {
        for (std::int32_t x = 0; x < w; x += part_w) {
            for (const Texel t : morton(part_w, part_h)) {
                all.push_back({x + t.x, y + t.y});
            }
        }
    }
    return all;
}

std::vector<Texel> hilbert(std::int32_t n)
{
    if (n == 1) {
        return {{0, 0}};
    }
    // Four curves of half the side, the first and the last mirrored so that each ends beside the
    // next one's start.
    const std::int32_t m = n / 2;
    std::vector<Texel> quarter = hilbert(m);
    std::vector<Texel> all;
    for (const Texel t : quarter) {
        all.push_back({t.y, t.x});
    }
    for (const Texel t : quarter) {
        all.push_back({t.x, m + t.y});
    }
    for (const Texel t : quarter) {
        all.push_back({m + t.x, m + t.y});
    }
    for (const Texel t : quarter) {
        all.push_back({m + (m - 1 - t.y), m - 1 - t.x});
    }
    return all;
}

std::int64_t round_up_to(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// Tiles in row order: their size in texels, and where a texel lies in one, in bytes.
struct Tiles {
    std::int32_t width = 1;
    std::int32_t height = 1;
    std::function<std::int64_t(std::int64_t x, std::int64_t y)> inside;
};

bool parity(std::uint32_t bits)
{
    bool odd = false;
    for (; bits != 0; bits /= 2) {
        odd = odd != (bits % 2 == 1);
    }
    return odd;
}

/// Bit by bit, straight from the definition.
StoredOffsets stored_bits(const BitLayout& layout, Extent2D extent, std::int64_t bytes)
{
    std::int64_t width = extent.width;
    std::int64_t height = extent.height;
    while (width % layout.tile.width != 0 || width % layout.padding.width != 0) {
        ++width;
    }
    while (height % layout.tile.height != 0 || height % layout.padding.height != 0) {
        ++height;
    }
    StoredOffsets image{extent, {}, width * height * bytes};
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            std::int64_t place = 0;
            std::int64_t weight = 1;
            for (const IndexBit& bit : layout.bits) {
                const bool one = parity(bit.x & static_cast<std::uint32_t>(x)) !=
                                 parity(bit.y & static_cast<std::uint32_t>(y));
                place += one != bit.inverted ? weight : 0;
                weight *= 2;
            }
            const std::int64_t tile =
                y / layout.tile.height * (width / layout.tile.width) + x / layout.tile.width;
            image.offsets.push_back((tile * weight + place) * bytes);
        }
    }
    return image;
}

StoredOffsets stored_rows(Extent2D extent, std::int64_t bytes, std::int64_t pitch)
{
    StoredOffsets image{extent, {}, pitch * extent.height * bytes};
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            image.offsets.push_back((y * pitch + x) * bytes);
        }
    }
    return image;
}

StoredOffsets stored_tiles(const Tiles& tiles, Extent2D extent, std::int64_t bytes)
{
    const std::int64_t across = round_up_to(extent.width, tiles.width) / tiles.width;
    const std::int64_t down = round_up_to(extent.height, tiles.height) / tiles.height;
    const std::int64_t tile_bytes = bytes * tiles.width * tiles.height;
    StoredOffsets image{extent, {}, across * down * tile_bytes};
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            image.offsets.push_back((y / tiles.height * across + x / tiles.width) * tile_bytes +
                                    tiles.inside(x % tiles.width, y % tiles.height));
        }
    }
    return image;
}

/// Blocks, macrotiles, rows of macrotiles, bank swizzle, in the order in which the driver takes
/// them.
StoredOffsets stored_adreno(Extent2D extent, std::int64_t bytes, int h,
                            const std::vector<int>& levels, bool channels8)
{
    if (extent.width < 16) {
        return stored_rows(extent, bytes, 64);
    }
    const std::int64_t block_width = bytes <= 2 ? 32 : 64 / bytes;
    const std::int64_t block_height = bytes == 1 ? 8 : 4;
    const std::int64_t pitch = round_up_to(extent.width, bytes <= 2 ? 128 : 64);
    const std::int64_t stride = pitch / block_width; // blocks
    std::int64_t swizzled = 0;
    for (const int level : levels) {
        const int exponent = (level == 2   ? h - 10
                              : level == 3 ? h - 9
                                           : h - 8) +
                             (bytes == 1 ? 1 : 0);
        if (stride % (std::int64_t{1} << exponent) == 0) {
            swizzled |= level == 2 ? 4 : level == 3 ? 8 : 16;
        }
    }
    StoredOffsets image{
        extent, {}, pitch * round_up_to(extent.height, bytes == 1 ? 32 : 16) * bytes};
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t bx = x % block_width;
            const std::int64_t by = y % block_height;
            // x0 y0 x1 y1 x2 x3 x4 y2; bits that a block lacks are 0 here
            const std::int64_t in_block =
                bx % 2 + by % 2 * 2 + bx / 2 % 2 * 4 + by / 2 % 2 * 8 + bx / 4 * 16 + by / 4 * 128;
            const std::int64_t X = x / block_width;
            const std::int64_t Y = y / block_height;
            std::int64_t o8 = X % 2 + Y / 2;
            std::int64_t o9 = X % 2 + Y / 2 + Y;
            std::int64_t o10 = X + Y;
            if (bytes < 16) {
                o9 += X / 2;
                o10 += channels8 ? X / 4 + Y / 4 : 0;
            }
            std::int64_t offset =
                X / 2 * 2048 + o8 % 2 * 256 + o9 % 2 * 512 + o10 % 2 * 1024 + in_block * bytes;
            offset ^= (Y & swizzled) << (h - 3);
            image.offsets.push_back(offset + Y / 4 * (stride / 2) * 2048);
        }
    }
    return image;
}

/// A texel's place among 4^scales ones on the U-shaped walk.
std::int64_t u_walk(std::int64_t x, std::int64_t y)
{
    std::int64_t place = 0;
    for (std::int64_t side = 1, unit = 1; side < 16; side *= 2, unit *= 4) {
        const bool right = x / side % 2 == 1;
        const bool low = y / side % 2 == 1;
        place += unit * (low ? (right ? 2 : 3) : (right ? 1 : 0));
    }
    return place;
}

Tiles nvidia(const std::string& generation, std::int32_t gobs, std::int64_t bytes)
{
    const auto inside = [=](std::int64_t x, std::int64_t y) {
        const std::int64_t column = x * bytes;
        const std::int64_t half = column / 32 * 256;
        const std::int64_t second16 = column / 16 % 2;
        const std::int64_t group = y / 8 * 512 + half + column % 16;
        y %= 8;
        // 16 B x 4 rows, two of them side by side, two of these below each other
        if (generation == "turing") {
            return group + y % 4 * 16 + second16 * 64 + y / 4 * 128;
        }
        // 16 B x 2 rows, two side by side, four of these below each other
        if (generation == "tegra16Bx2") {
            return group + y % 2 * 16 + second16 * 32 + y / 2 * 64;
        }
        const std::int64_t pair = y / 2 % 2; // fermi: sectors of 16 B x 2 rows, swapped on the left
        return group + y % 2 * 16 + (1 + pair + second16) % 2 * 32 + second16 * 64 + y / 4 * 128;
    };
    return {static_cast<std::int32_t>(64 / bytes), 8 * gobs, inside};
}

Tiles apple(Extent2D extent, std::int64_t bytes)
{
    Extent2D tile = bytes == 1   ? Extent2D{128, 128}
                    : bytes == 2 ? Extent2D{128, 64}
                    : bytes == 4 ? Extent2D{64, 64}
                    : bytes == 8 ? Extent2D{64, 32}
                                 : Extent2D{32, 32};
    if (extent.width < tile.width || extent.height < tile.height) {
        std::int32_t side = 1;
        while (side < extent.width && side < extent.height) {
            side *= 2;
        }
        tile = {side, side};
    }
    const std::vector<Texel> order = morton(tile.width, tile.height);
    std::vector<std::int64_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[static_cast<std::size_t>(order[i].y * tile.width + order[i].x)] =
            static_cast<std::int64_t>(i) * bytes;
    }
    return {tile.width, tile.height, [place, tile](std::int64_t x, std::int64_t y) {
                return place[static_cast<std::size_t>(y * tile.width + x)];
            }};
}

/// 256 B in an order of their own, these in Morton order with y lowest.
Tiles amd(std::int64_t tile_bytes, std::int64_t bytes)
{
    const std::int64_t micro_width = bytes == 16 ? 4 : 8;
    const std::int64_t micro_height = bytes == 4 ? 8 : 4;
    std::int32_t width = static_cast<std::int32_t>(micro_width);
    std::int32_t height = static_cast<std::int32_t>(micro_height);
    for (std::int64_t rest = tile_bytes / 256; rest > 1; rest /= 4) {
        width *= 2;
        height *= 2;
    }
    return {width, height, [=](std::int64_t x, std::int64_t y) {
                std::int64_t place = 256 / bytes;
                std::int64_t index = bytes == 4
                                         ? x % 4 + y % 4 * 4 + y / 4 % 2 * 16 + x / 4 % 2 * 32
                                     : bytes == 8 ? x % 2 + y % 4 * 2 + x / 2 % 4 * 8
                                                  : y % 4 + x % 4 * 4;
                for (std::int64_t mx = x / micro_width, my = y / micro_height; mx + my > 0;
                     mx /= 2, my /= 2) {
                    index += place * (my % 2 + 2 * (mx % 2));
                    place *= 4;
                }
                return index * bytes;
            }};
}

StoredOffsets stored_named(const std::string& name, Extent2D extent, std::int64_t bytes)
{
    if (name == "linear-pitch64") {
        return stored_rows(extent, bytes, round_up_to(extent.width, 64));
    }
    if (name == "adreno-a5xx-tile3") {
        return stored_adreno(extent, bytes, 15, {1, 2, 3}, false);
    }
    if (name == "adreno-a6xx-tile3") {
        return stored_adreno(extent, bytes, 15, {2, 3}, false);
    }
    if (name == "adreno-a6xx-a7xx-tile3-8ch") {
        return stored_adreno(extent, bytes, 16, {2, 3}, true);
    }
    Tiles tiles;
    if (name == "mali-u-interleaved") {
        tiles = {16, 16, [=](std::int64_t x, std::int64_t y) { return u_walk(x, y) * bytes; }};
    } else if (name.starts_with("nvidia-blocklinear-")) {
        const auto dash = name.rfind("-gob");
        tiles = nvidia(name.substr(19, dash - 19), std::stoi(name.substr(dash + 4)), bytes);
    } else if (name == "apple-agx-twiddled") {
        tiles = apple(extent, bytes);
    } else if (name == "intel-ytile") {
        tiles = {static_cast<std::int32_t>(128 / bytes), 32, [=](std::int64_t x, std::int64_t y) {
                     return x * bytes / 16 * 512 + y * 16 + x * bytes % 16;
                 }};
    } else if (name == "intel-tile4") {
        tiles = {static_cast<std::int32_t>(128 / bytes), 32, [=](std::int64_t x, std::int64_t y) {
                     const std::int64_t u = x * bytes;
                     return u % 16 + y % 4 * 16 + u / 16 % 4 * 64 + y / 4 % 2 * 256 + u / 64 * 512 +
                            y / 8 * 1024;
                 }};
    } else if (name == "amd-gfx10-sw_4k_s") {
        tiles = amd(4096, bytes);
    } else if (name == "amd-gfx10-sw_64k_s") {
        tiles = amd(65536, bytes);
    } else {
        throw std::logic_error("the oracle does not know the layout " + name);
    }
    return stored_tiles(tiles, extent, bytes);
}

} // namespace

std::vector<Texel> cells(std::int32_t width, std::int32_t height, StorageOrder order)
{
    std::vector<Texel> all;
    switch (order) {
    case StorageOrder::row:
        for (std::int32_t y = 0; y < height; ++y) {
            for (std::int32_t x = 0; x < width; ++x) {
                all.push_back({x, y});
            }
        }
        break;
    case StorageOrder::column:
        for (std::int32_t x = 0; x < width; ++x) {
            for (std::int32_t y = 0; y < height; ++y) {
                all.push_back({x, y});
            }
        }
        break;
    case StorageOrder::morton:
        return morton(width, height);
    case StorageOrder::hilbert:
        return hilbert(width);
    }
    return all;
}

std::vector<Texel> stored_texels(const NestedLayout& layout, Extent2D extent)
{
    // The texels of one block of the outermost level, then copies of it until the image is covered.
    std::vector<Texel> block{{0, 0}};
    Extent2D size{1, 1};
    for (const BlockLevel& level : layout.levels) {
        std::vector<Texel> next;
        for (const Texel cell : cells(level.width, level.height, level.order)) {
            for (const Texel t : block) {
                next.push_back({cell.x * size.width + t.x, cell.y * size.height + t.y});
            }
        }
        block = next;
        size = {size.width * level.width, size.height * level.height};
    }
    std::vector<Texel> all;
    const Extent2D blocks{(extent.width + size.width - 1) / size.width,
                          (extent.height + size.height - 1) / size.height};
    for (const Texel cell : cells(blocks.width, blocks.height, layout.outer)) {
        for (const Texel t : block) {
            all.push_back({cell.x * size.width + t.x, cell.y * size.height + t.y});
        }
    }
    return all;
}

StoredOffsets stored_image(const LayoutSpec& spec, Extent2D extent, std::int64_t bytes_per_texel)
{
    if (const auto* bits = std::get_if<BitLayout>(&spec)) {
        return stored_bits(*bits, extent, bytes_per_texel);
    }
    if (const auto* named = std::get_if<NamedLayout>(&spec)) {
        return stored_named(named->name, extent, bytes_per_texel);
    }
    const std::vector<Texel> order = stored_texels(std::get<NestedLayout>(spec), extent);
    StoredOffsets image{extent,
                        std::vector<std::int64_t>(static_cast<std::size_t>(extent.area()), -1),
                        static_cast<std::int64_t>(order.size()) * bytes_per_texel};
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (extent.contains(order[i])) {
            image.offsets[static_cast<std::size_t>(order[i].y * extent.width + order[i].x)] =
                static_cast<std::int64_t>(i) * bytes_per_texel;
        }
    }
    return image;
}
} // namespace texelscope::test
