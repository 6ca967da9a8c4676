#include "sim/layout/named_layouts.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>
#include <utility>

// Notation: s is log2 of the bytes per texel; u is the byte column (u bit i is x bit i - s), v the
// row.

namespace texelscope::sim {
namespace {

using Builder = std::function<BitLayout(Extent2D extent, int s)>;

struct LayoutRow {
    NamedLayoutInfo info;
    Builder build;
};

/// "1, 2, 4". (g++ 12 warns of fmt's own join at -O3.)
template <class Number>
std::string listed(const std::vector<Number>& numbers)
{
    std::string text;
    for (const Number number : numbers) {
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return text;
}

/// A tile that is as wide and as high as the bits of x and y that its places are made of.
BitLayout tile_of(int x_bits, int y_bits, std::vector<IndexBit> bits)
{
    return {{1 << x_bits, 1 << y_bits}, std::move(bits), {1, 1}};
}

/// x and y interleaved, x lowest, the rest of the longer side on top.
BitLayout morton_tile(int x_bits, int y_bits)
{
    std::vector<IndexBit> bits;
    for (int i = 0; i < std::max(x_bits, y_bits); ++i) {
        if (i < x_bits) {
            bits.push_back(x_bit(i));
        }
        if (i < y_bits) {
            bits.push_back(y_bit(i));
        }
    }
    return tile_of(x_bits, y_bits, std::move(bits));
}

/// A tile written as a table of address bits, lowest first: letters u, v and digits, "u0u1v0". Bits
/// of u inside of a texel drop out.
BitLayout permuted(std::string_view table, int s)
{
    std::vector<IndexBit> bits;
    int x_bits = 0;
    for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
        const int number = table[i + 1] - '0';
        if (table[i] == 'v') {
            bits.push_back(y_bit(number));
        } else if (number >= s) {
            bits.push_back(x_bit(number - s));
            ++x_bits;
        }
    }
    const int y_bits = static_cast<int>(bits.size()) - x_bits;
    return tile_of(x_bits, y_bits, std::move(bits));
}

/// 16x16 texels: x and y interleaved, each bit of x xored with that of y.
BitLayout mali_u_interleaved()
{
    std::vector<IndexBit> bits;
    for (int i = 0; i < 4; ++i) {
        bits.push_back(x_bit(i) ^ y_bit(i));
        bits.push_back(y_bit(i));
    }
    return tile_of(4, 4, std::move(bits));
}

/// Groups of 64 bytes x 8 rows (GOBs), `gobs` of them on top of each other in a block. `bits` 4 to
/// 8 of the address.
BitLayout nvidia_block_linear(std::vector<IndexBit> gob_bits, int gobs, int s)
{
    std::vector<IndexBit> bits;
    for (int i = 0; i + s < 4; ++i) {
        bits.push_back(x_bit(i));
    }
    bits.insert(bits.end(), gob_bits.begin(), gob_bits.end());
    const int row_bits = 3 + std::countr_zero(static_cast<unsigned>(gobs));
    for (int i = 3; i < row_bits; ++i) {
        bits.push_back(y_bit(i));
    }
    return tile_of(6 - s, row_bits, std::move(bits));
}

/// Morton tiles of a 16 KB page; where the image is smaller than a tile on either side, square ones
/// of the smaller side's next power of two. (The driver then allocates powers of two; what is
/// behind the last texel does not count.)
BitLayout apple_twiddled(Extent2D extent, int s)
{
    const int x_bits = 7 - s / 2;
    const int y_bits = 7 - (s + 1) / 2;
    if (extent.width < 1 << x_bits || extent.height < 1 << y_bits) {
        const auto side = static_cast<std::uint32_t>(std::min(extent.width, extent.height));
        const int side_bits = std::countr_zero(std::bit_ceil(side));
        return morton_tile(side_bits, side_bits);
    }
    return morton_tile(x_bits, y_bits);
}

void add_adreno(std::vector<LayoutRow>& table, const std::string& name, const std::string& devices,
                const AdrenoTiling& gpu)
{
    table.push_back(
        {{name,
          fmt::format(
              "{}: 256 B blocks in 2x4 macrotiles, {} channels, bank bit {}, swizzle levels {}",
              devices, gpu.eight_channels ? 8 : 4, gpu.highest_bank_bit,
              listed(gpu.swizzle_levels)),
          "Mesa 25.0.7 src/freedreno/fdl/fd6_tiled_memcpy.cc, fd6_layout.c; Linux "
          "drivers/soc/qcom/ubwc_config.c",
          {1, 2, 4, 8, 16}},
         [gpu](Extent2D extent, int s) { return adreno_tile3(gpu, extent, s); }});
}

void add_nvidia(std::vector<LayoutRow>& table, const std::string& generation,
                const std::string& devices, const std::string& source,
                const std::function<std::vector<IndexBit>(int s)>& gob_bits)
{
    for (const int gobs : {1, 2, 4, 8, 16, 32}) {
        table.push_back({{fmt::format("nvidia-blocklinear-{}-gob{}", generation, gobs),
                          fmt::format("{}: blocks of 64 B x {} rows ({} GOB{})", devices, 8 * gobs,
                                      gobs, gobs == 1 ? "" : "s"),
                          source,
                          {1, 2, 4, 8, 16}},
                         [gob_bits, gobs](Extent2D, int s) {
                             return nvidia_block_linear(gob_bits(s), gobs, s);
                         }});
    }
}

/// A tile whose bits are the same for every image.
void add_table(std::vector<LayoutRow>& table, NamedLayoutInfo info,
               std::function<std::string_view(int s)> bits, bool in_bytes)
{
    table.push_back({std::move(info), [bits = std::move(bits), in_bytes](Extent2D, int s) {
                         return permuted(bits(s), in_bytes ? s : 0);
                     }});
}

std::vector<LayoutRow> make_layout_table()
{
    const std::vector<std::int64_t> powers{1, 2, 4, 8, 16};
    std::vector<LayoutRow> table;
    table.push_back({{"linear-pitch64",
                      "rows of a whole multiple of 64 texels",
                      "Mesa 25.0.7 src/freedreno/fdl/fd6_layout.c, linear images",
                      {}},
                     [](Extent2D, int) { return linear_rows(64); }});

    add_adreno(table, "adreno-a5xx-tile3", "Adreno 530, 540 (assumed to tile as A6xx)",
               {15, {1, 2, 3}, false});
    add_adreno(table, "adreno-a6xx-tile3", "Adreno 630, 640", {15, {2, 3}, false});
    add_adreno(table, "adreno-a6xx-a7xx-tile3-8ch", "Adreno 650, 660, 730, 740, 750",
               {16, {2, 3}, true});

    table.push_back(
        {{"mali-u-interleaved", "Mali: tiles of 16x16 texels, a U-shaped walk at each scale",
          "Mesa 25.0.7 src/panfrost/shared/pan_tiling.c", powers},
         [](Extent2D, int) { return mali_u_interleaved(); }});

    const auto u = [](int i, int s) { return x_bit(i - s); };
    add_nvidia(table, "turing", "NVIDIA Turing to Hopper", "Mesa 25.0.7 src/nouveau/nil/copy.rs",
               [u](int s) {
                   return std::vector{y_bit(0), y_bit(1), u(4, s), y_bit(2), u(5, s)};
               });
    add_nvidia(
        table, "fermi", "NVIDIA Fermi to Volta", "Mesa src/nouveau/nil/tiling.rs, table of sectors",
        [u](int s) {
            const IndexBit one{.inverted = true};
            return std::vector{y_bit(0), one ^ y_bit(1) ^ u(4, s), u(4, s), y_bit(2), u(5, s)};
        });
    add_nvidia(table, "tegra16Bx2", "NVIDIA Tegra to Orin",
               "Mesa 25.0.7 src/nouveau/nil/copy.rs, after Orin's manual", [u](int s) {
                   return std::vector{y_bit(0), u(4, s), y_bit(1), y_bit(2), u(5, s)};
               });

    table.push_back({{"apple-agx-twiddled",
                      "Apple AGX: Morton tiles of 16 KB, 128x128 texels at 1 B to 32x32 at 16 B",
                      "Mesa 25.0.7 src/asahi/layout/tiling.cc, layout.c", powers},
                     apple_twiddled});

    const std::string isl = "Mesa 25.0.7 docs/isl/tiling.rst";
    add_table(
        table, {"intel-ytile", "Intel: tiles of 128 B x 32 rows, 16 B columns", isl, powers},
        [](int) { return "u0u1u2u3v0v1v2v3v4u4u5u6"; }, true);
    add_table(
        table,
        {"intel-tile4", "Intel from Xe-HP on: tiles of 128 B x 32 rows, lines of 16 B x 4 rows",
         isl, powers},
        [](int) { return "u0u1u2u3v0v1u4u5v2u6v3v4"; }, true);

    // Evaluated from the tables at 4, 8 and 16 bytes per texel for 64x64 texels; for 1 and 2 bytes
    // there are none. The 64 KB tile at 8 bytes is 128 wide: of its bits, all but the highest were
    // seen, and bit 6 of x is what is left; at 4 bytes bits 6 of y and x follow, the former first.
    const std::string addrlib =
        "Mesa 25.0.7 src/amd/addrlib/src/gfx10/gfx10SwizzlePattern.h (Navi 1x, one pipe)";
    add_table(
        table,
        {"amd-gfx10-sw_4k_s",
         "AMD GFX10: tiles of 4 KB, 32x32 texels at 4 B to 16x16 at 16 B",
         addrlib,
         {4, 8, 16}},
        [](int s) {
            return s == 2   ? "u0u1v0v1v2u2v3u3v4u4"
                   : s == 3 ? "u0v0v1u1u2v2u3v3u4"
                            : "v0v1u0u1v2u2v3u3";
        },
        false);
    add_table(
        table,
        {"amd-gfx10-sw_64k_s",
         "AMD GFX10: tiles of 64 KB, 128x128 texels at 4 B to 64x64 at 16 B",
         addrlib,
         {4, 8, 16}},
        [](int s) {
            return s == 2   ? "u0u1v0v1v2u2v3u3v4u4v5u5v6u6"
                   : s == 3 ? "u0v0v1u1u2v2u3v3u4v4u5v5u6"
                            : "v0v1u0u1v2u2v3u3v4u4v5u5";
        },
        false);
    return table;
}

const std::vector<LayoutRow>& layout_table()
{
    static const std::vector<LayoutRow> entries = make_layout_table();
    return entries;
}

} // namespace

// Adreno's TILE3: 256-byte blocks in macrotiles of 2x4 blocks. `log2_bytes`: of a texel. The
// address bits 0 to 7 choose the byte in the block, 8 to 10 the block in the macrotile (xors spread
// blocks over channels), and those above the macrotile; on top of that, rows of blocks are moved by
// the swizzle levels, so that accesses down a column do not all hit the same bank.
BitLayout adreno_tile3(const AdrenoTiling& gpu, Extent2D extent, int log2_bytes)
{
    const int s = log2_bytes;
    constexpr std::int32_t narrowest_tiled = 16;
    if (extent.width < narrowest_tiled) {
        return linear_rows(64);
    }
    // Log2 of the block's sides in texels, by the bytes per texel: 32x8 at 1 B, 32x4, 16x4, 8x4,
    // 4x4 at 16 B.
    const int block_x_bits = std::vector<int>{5, 5, 4, 3, 2}[static_cast<std::size_t>(s)];
    const int block_y_bits = std::vector<int>{3, 2, 2, 2, 2}[static_cast<std::size_t>(s)];
    const auto block_x = [&](int i) { return x_bit(block_x_bits + i); };
    const auto block_y = [&](int i) { return y_bit(block_y_bits + i); };

    std::vector<IndexBit> bits; // of the block: x0 y0 x1 y1 x2 x3 x4 y2 as far as it reaches
    for (const auto& [is_x, i] :
         {std::pair{true, 0}, std::pair{false, 0}, std::pair{true, 1}, std::pair{false, 1},
          std::pair{true, 2}, std::pair{true, 3}, std::pair{true, 4}, std::pair{false, 2}}) {
        if (i < (is_x ? block_x_bits : block_y_bits)) {
            bits.push_back(is_x ? x_bit(i) : y_bit(i));
        }
    }
    IndexBit bit8 = block_x(0) ^ block_y(1);
    IndexBit bit9 = block_x(0) ^ block_y(1) ^ block_y(0);
    IndexBit bit10 = block_x(0) ^ block_y(0);
    if (s < 4) {
        bit9 = bit9 ^ block_x(1);
        if (gpu.eight_channels) {
            bit10 = bit10 ^ block_x(2) ^ block_y(2);
        }
    }
    bits.insert(bits.end(), {bit8, bit9, bit10});

    BitLayout layout;
    layout.padding = {s <= 1 ? 128 : 64, s == 0 ? 32 : 16};
    const int blocks_across = padded(layout, extent).width >> block_x_bits;
    int x_bits = block_x_bits + 1;
    for (int level = 1; level <= 3; ++level) {
        // Level 2 moves by bit 2 of the block row, level 3 by bit 3, level 1 by bit 4.
        const int row_bit = level == 1 ? 4 : level;
        const int blocks_moved = gpu.highest_bank_bit - 12 + row_bit + (s == 0 ? 1 : 0); // log2
        const bool listed =
            std::count(gpu.swizzle_levels.begin(), gpu.swizzle_levels.end(), level) > 0;
        if (!listed || blocks_across % (1 << blocks_moved) != 0) {
            continue;
        }
        const auto place = static_cast<std::size_t>(gpu.highest_bank_bit - 3 + row_bit - s);
        while (bits.size() <= place) {
            bits.push_back(x_bit(x_bits++));
        }
        bits[place] = bits[place] ^ block_y(row_bit);
    }
    layout.tile = {1 << x_bits, 1 << (block_y_bits + 2)};
    layout.bits = std::move(bits);
    return layout;
}

const std::vector<NamedLayoutInfo>& named_layouts()
{
    static const std::vector<NamedLayoutInfo> all = [] {
        std::vector<NamedLayoutInfo> list;
        for (const LayoutRow& entry : layout_table()) {
            list.push_back(entry.info);
        }
        return list;
    }();
    return all;
}

BitLayout named_layout(const std::string& name, Extent2D extent, Bytes bytes_per_texel)
{
    const auto& entries = layout_table();
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const LayoutRow& e) { return e.info.name == name; });
    if (entry == entries.end()) {
        throw bad_input("there is no layout of that name", "layout '" + name + "'");
    }
    const std::vector<std::int64_t>& known = entry->info.texel_bytes;
    if (!known.empty() &&
        std::find(known.begin(), known.end(), bytes_per_texel.value) == known.end()) {
        throw bad_input(
            fmt::format("how it stores texels of {} bytes is not known", bytes_per_texel.value),
            "layout '" + name + "'",
            fmt::format("it is known for {} bytes per texel", listed(known)));
    }
    return entry->build(extent,
                        std::countr_zero(static_cast<std::uint64_t>(bytes_per_texel.value)));
}

} // namespace texelscope::sim
