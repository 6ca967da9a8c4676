#include "sim/layout/adreno_layout.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::sim {

BitLayout adreno_tile3(const AdrenoTiling& gpu, Extent2D extent, int log2_bytes)
{
    const int s = log2_bytes;
    constexpr std::int32_t narrowest_tiled = 16;
    if (extent.width < narrowest_tiled) {
        return linear_rows(64);
    }
    const int block_x_bits = std::vector<int>{5, 5, 4, 3, 2}[static_cast<std::size_t>(s)];
    const int block_y_bits = std::vector<int>{3, 2, 2, 2, 2}[static_cast<std::size_t>(s)];
    const auto block_x = [&](int i) { return x_bit(block_x_bits + i); };
    const auto block_y = [&](int i) { return y_bit(block_y_bits + i); };

    std::vector<IndexBit> bits; // of the block: x0 y0 x1 y1 x2 x3 x4 y2 as far as it reaches
    for (const auto& [is_x, i] : {std::pair{true, 0}, std::pair{false, 0}, std::pair{true, 1}, std::pair{false, 1},
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
        const bool listed = std::count(gpu.swizzle_levels.begin(), gpu.swizzle_levels.end(), level) > 0;
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

} // namespace texelscope::sim
