#include "model/identification/layout_candidates.hpp"

#include "sim/layout/named_layouts.hpp"
#include "sim/layout/texel_layout.hpp"

#include <algorithm>

namespace texelscope::model {
namespace {

/// One level of tiles, by the size of the tile, then its width.
std::vector<LayoutSpec> tiles(Bytes bytes_per_texel)
{
    constexpr std::int32_t largest_side = 64;
    constexpr std::int64_t largest_tile = 16 * 1024; // bytes
    std::vector<BlockLevel> levels;
    for (std::int32_t width = 1; width <= largest_side; width *= 2) {
        for (std::int32_t height = 1; height <= largest_side; height *= 2) {
            const std::int64_t bytes = std::int64_t{width} * height * bytes_per_texel.value;
            if (height == 1 || bytes > largest_tile) {
                continue; // tiles of one row are rows
            }
            levels.push_back({width, height, StorageOrder::row});
            // Morton order of one or two columns is row order, and wide Morton tiles are square ones next to each other.
            // Column order of any tile is that of tiles of one column.
            if (width > 2 && width <= height) {
                levels.push_back({width, height, StorageOrder::morton});
            }
        }
    }
    std::stable_sort(levels.begin(), levels.end(),
                     [](const BlockLevel& a, const BlockLevel& b) { return a.width * a.height < b.width * b.height; });
    std::vector<LayoutSpec> specs;
    for (const BlockLevel& level : levels) {
        specs.emplace_back(NestedLayout{{level}, StorageOrder::row});
    }
    return specs;
}

} // namespace

std::vector<LayoutSpec> layout_candidates(Extent2D extent, Bytes bytes_per_texel, std::span<const LayoutSpec> extra)
{
    std::vector<LayoutSpec> all{NestedLayout{}, NestedLayout{{}, StorageOrder::column}};
    const std::vector<LayoutSpec> tiled = tiles(bytes_per_texel);
    all.insert(all.end(), tiled.begin(), tiled.end());
    const std::size_t own = all.size();
    all.insert(all.end(), extra.begin(), extra.end());
    const std::size_t own_and_extra = all.size();
    for (const NamedLayoutInfo& info : named_layouts()) {
        const bool known = info.texel_bytes.empty() || std::find(info.texel_bytes.begin(), info.texel_bytes.end(),
                                                                 bytes_per_texel.value) != info.texel_bytes.end();
        if (known) {
            all.emplace_back(NamedLayout{info.name});
        }
    }
    std::vector<LayoutSpec> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_extra = i >= own && i < own_and_extra;
        if (std::find(kept.begin(), kept.end(), all[i]) != kept.end()) {
            continue;
        }
        const std::int64_t stored = TexelLayout(all[i], extent, bytes_per_texel).size().value;
        if (is_extra || stored <= 4 * extent.area() * bytes_per_texel.value) {
            kept.push_back(all[i]);
        }
    }
    return kept;
}

} // namespace texelscope::model
