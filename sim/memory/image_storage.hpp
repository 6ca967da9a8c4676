#pragma once

#include "sim/layout/texel_layout.hpp"
#include "traces/image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

struct SimulationOptions;

/// An image that has a storage layout and a place in memory.
struct StoredImage {
    TexelLayout layout;
    std::int64_t base; ///< address of its first byte, a multiple of the page
    Extent2D extent;
    std::int64_t bytes_per_texel;
    AddressMode address_mode;
    bool buffer = false; ///< it is a buffer

    [[nodiscard]] std::int64_t address(Texel texel) const { return base + layout.offset(texel); }
    /// The address that a read touches, for texels outside of the image, too. nullopt where it
    /// reads the border colour and touches no memory.
    [[nodiscard]] std::optional<std::int64_t> address_of_read(Texel texel) const
    {
        if (extent.contains(texel)) {
            return address(texel);
        }
        return address_mode == AddressMode::border ? std::nullopt
                                                   : std::optional(address(extent.clamp(texel)));
    }
};

/// Images start at multiples of this many bytes (pages), in the order of their declaration.
inline constexpr std::int64_t image_alignment = 4096;

/// Places images in memory: at the addresses `bases`, or one after the other where these are empty.
/// Throws bad_input where the images, or the caches' tables over their lines, would be too large.
[[nodiscard]] std::vector<StoredImage> store_images(std::span<const Image> images,
                                                    const SimulationOptions& options,
                                                    std::span<const std::int64_t> bases = {});

/// End of the memory of all images, rounded up to a page.
[[nodiscard]] Bytes storage_size(std::span<const StoredImage> images);

/// Upper bound (exclusive) of the numbers of granules in the storage of the images; `granule` in
/// bytes.
[[nodiscard]] std::int64_t granule_count(std::span<const StoredImage> images, std::int64_t granule);

} // namespace texelscope::sim
