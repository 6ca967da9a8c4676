// Where images lie in memory: one behind the other, each at a multiple of image_alignment, under
// the device's storage layout. TexelAddresses goes the other way, from an address to the texel.

#include "sim/memory/image_storage.hpp"

#include "base/error.hpp"
#include "sim/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::sim {

TexelAddresses::TexelAddresses(std::vector<StoredImage> images) : images_(std::move(images))
{
    for (const StoredImage& image : images_) {
        auto& texels = texels_.emplace_back();
        texels.reserve(static_cast<std::size_t>(image.extent.area()));
        for (std::int32_t y = 0; y < image.extent.height; ++y) {
            for (std::int32_t x = 0; x < image.extent.width; ++x) {
                texels.emplace_back(image.layout.offset({x, y}), Texel{x, y});
            }
        }
        std::sort(texels.begin(), texels.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
    }
}

std::optional<TexelAddresses::Found> TexelAddresses::find(std::uint64_t address) const
{
    // The last image that begins at or before the address.
    const auto next =
        std::partition_point(images_.begin(), images_.end(), [&](const StoredImage& image) {
            return static_cast<std::uint64_t>(image.base) <= address;
        });
    if (next == images_.begin()) {
        return std::nullopt;
    }
    const auto number = static_cast<std::size_t>(next - images_.begin() - 1);
    const std::uint64_t offset = address - static_cast<std::uint64_t>(images_[number].base);
    const auto& texels = texels_[number];
    const auto behind = std::partition_point(texels.begin(), texels.end(), [&](const auto& texel) {
        return static_cast<std::uint64_t>(texel.first) <= offset;
    });
    if (behind == texels.begin()) {
        return std::nullopt;
    }
    const auto& [first, texel] = *(behind - 1);
    if (offset - static_cast<std::uint64_t>(first) >=
        static_cast<std::uint64_t>(images_[number].bytes_per_texel)) {
        return std::nullopt;
    }
    return Found{static_cast<std::uint16_t>(number), texel};
}

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
             image.extent, image.bytes_per_texel.value, image.address_mode});
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
