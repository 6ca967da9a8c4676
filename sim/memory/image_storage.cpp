#include "sim/memory/image_storage.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::sim {

std::vector<StoredImage> store_images(std::span<const Image> images, const SimulationOptions& options)
{
    std::vector<StoredImage> stored;
    for (const Image& image : images) {
        const std::int64_t base = storage_size(stored).value;
        stored.push_back({TexelLayout(options.layout, image.extent, image.bytes_per_texel), base, image.extent,
                          image.bytes_per_texel.value, image.address_mode});
        const std::int64_t end = storage_size(stored).value;
        constexpr std::int64_t most = std::int64_t{1} << 36;
        if (end > most) {
            throw bad_input(fmt::format("the images take {} bytes in this layout, more than {}", end, most),
                            "image '" + image.name + "'", "use smaller images");
        }
    }
    // Every cache has tables over the lines of all images: 4 bytes a line, twice that where sets are wide; coalescing
    // has one over the granules.
    const auto bytes = static_cast<double>(storage_size(stored).value);
    const double lines = bytes / static_cast<double>(options.l1.line.value) * options.cores +
                         (options.has_l2() ? bytes / static_cast<double>(options.l2.line.value) : 0) +
                         bytes / static_cast<double>(options.l1.granule().value);
    constexpr double most_lines = 1 << 30;
    if (lines > most_lines) {
        throw bad_input(
            fmt::format("the images take {} bytes in this layout, too many lines for the caches of {} cores", bytes,
                        options.cores),
            "layout '" + to_string(options.layout) + "'", "use smaller images or blocks, fewer cores, or longer lines");
    }
    return stored;
}

Bytes storage_size(std::span<const StoredImage> images)
{
    if (images.empty()) {
        return Bytes{0};
    }
    const std::int64_t end = images.back().base + images.back().layout.size().value;
    return Bytes{(end + image_alignment - 1) / image_alignment * image_alignment};
}

std::int64_t granule_count(std::span<const StoredImage> images, std::int64_t granule)
{
    return storage_size(images).value / granule + 1;
}

} // namespace texelscope::sim
