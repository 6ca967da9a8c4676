#pragma once

#include "sim/layout/texel_layout.hpp"
#include "sim/options/options.hpp"
#include "traces/image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace texelscope::sim {

/// An image at its place in memory.
struct StoredImage {
    TexelLayout layout;
    std::int64_t base; ///< address of its first byte, a multiple of the page
    Extent2D extent;
    std::int64_t bytes_per_texel;
    AddressMode address_mode;

    [[nodiscard]] std::int64_t address(Texel texel) const { return base + layout.offset(texel); }
    /// Where a read touches memory, wherever its texel lies; nothing for the border.
    [[nodiscard]] std::optional<std::int64_t> address_of_read(Texel texel) const
    {
        if (extent.contains(texel)) {
            return address(texel);
        }
        return address_mode == AddressMode::border ? std::nullopt
                                                   : std::optional(address(extent.clamp(texel)));
    }
};

/// Bytes: images start at pages, in declaration order.
inline constexpr std::int64_t image_alignment = 4096;

/// Places the images: at these addresses, or, without any, one after the other. Throws bad_input
/// where they, or the tables of the caches over their lines, would be too large.
[[nodiscard]] std::vector<StoredImage> store_images(std::span<const Image> images,
                                                    const SimulationOptions& options,
                                                    std::span<const std::int64_t> bases = {});

/// Past the last byte of all images, rounded up to a page.
[[nodiscard]] Bytes storage_size(std::span<const StoredImage> images);

/// Granules (of so many bytes) in the storage of the images: their numbers are below this.
[[nodiscard]] std::int64_t granule_count(std::span<const StoredImage> images, std::int64_t granule);

/// From byte addresses back to texels. Takes memory for every texel of the images.
class TexelAddresses {
public:
    explicit TexelAddresses(std::vector<StoredImage> images);

    struct Found {
        std::uint16_t image = 0;
        Texel texel;
    };
    /// The texel that has the byte; nothing for padding and for what is outside of the images.
    [[nodiscard]] std::optional<Found> find(std::uint64_t address) const;

private:
    std::vector<StoredImage> images_;
    std::vector<std::vector<std::pair<std::int64_t, Texel>>> texels_; ///< of each image, by offset
};

} // namespace texelscope::sim
