// Where images lie in memory: one behind the other, each at a multiple of image_alignment, under
// the device's storage layout. TexelAddresses (sim/observers) goes the other way, from an address
// to the texel.

#include "sim/memory/image_storage.hpp"

#include "base/error.hpp"
#include "sim/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::sim {

namespace {

// Buffers and images made of a buffer lie in rows whatever the device's layout is; row_multiple is
// the multiple of texels that their rows are padded to.
LayoutSpec layout_of(const Image& image, const SimulationOptions& options)
{
    if (image.buffer) {
        return {};
    }
    return image.row_multiple > 0
               ? NestedLayout{{BlockLevel{image.row_multiple, 1, StorageOrder::row}},
                              StorageOrder::row}
               : options.machine.layout;
}

} // namespace

std::vector<StoredImage> store_images(std::span<const Image> images,
                                      const SimulationOptions& options,
                                      std::span<const std::int64_t> bases)
{
    std::vector<StoredImage> stored;
    for (const Image& image : images) {
        const std::int64_t base = bases.empty() ? storage_size(stored).value : bases[stored.size()];
        stored.push_back(
            {TexelLayout(layout_of(image, options), image.extent, image.bytes_per_texel), base,
             image.extent, image.bytes_per_texel.value, image.address_mode, image.buffer});
        const std::int64_t end = storage_size(stored).value;
        constexpr std::int64_t most = std::int64_t{1} << 36;
        if (end > most) {
            throw bad_input(
                fmt::format("the images take {} bytes in this layout, more than {}", end, most),
                "image '" + image.name + "'", "use smaller images");
        }
    }
    // Every cache has tables over the lines of all images, of 4 bytes per line, or 8 where sets are
    // wide. Coalescing has a table over all granules.
    const auto bytes = static_cast<double>(storage_size(stored).value);
    double lines = bytes / static_cast<double>(options.machine.l1().geometry.granule().value);
    for (const CacheLevel& level : options.machine.levels()) {
        lines += bytes / static_cast<double>(level.geometry.line.value) *
                 (level.shared ? 1 : options.machine.cores);
    }
    constexpr double most_lines = 1 << 30;
    if (lines > most_lines) {
        throw bad_input(fmt::format("the images take {} bytes in this layout, too many lines for "
                                    "the caches of {} cores",
                                    bytes, options.machine.cores),
                        "layout '" + to_string(options.machine.layout) + "'",
                        "use smaller images or blocks, fewer cores, or longer lines");
    }
    return stored;
}

Bytes storage_size(std::span<const StoredImage> images)
{
    std::int64_t end = 0;
    for (const StoredImage& image : images) {
        end = std::max(end, image.base + image.layout.size().value);
    }
    return Bytes{(end + image_alignment - 1) / image_alignment * image_alignment};
}

std::int64_t granule_count(std::span<const StoredImage> images, std::int64_t granule)
{
    return storage_size(images).value / granule + 1;
}

} // namespace texelscope::sim
