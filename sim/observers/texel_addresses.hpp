#pragma once

#include "sim/layout/texel_layout.hpp"
#include "traces/image.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::sim {

/// Takes the base address off the end of an image's declaration, "A:64x64x4@0x7fd165500000".
/// Nothing where there is none. Throws bad_input where it is no hexadecimal number of up to 64 bits
/// that begins with 0x.
[[nodiscard]] std::optional<std::uint64_t> take_base(std::string& declaration);

/// Finds the texels at byte addresses. Takes memory for every texel of the images.
class TexelAddresses {
public:
    /// Images in a storage layout, each at its base, or, where `bases` is empty, where the
    /// simulator places them (store_images()). Throws bad_input where two images overlap, or one
    /// goes on behind the last address.
    TexelAddresses(std::span<const Image> images, const LayoutSpec& layout,
                   std::span<const std::uint64_t> bases);

    struct Found {
        std::uint16_t image = 0;
        Texel texel;

        bool operator==(const Found&) const = default;
    };
    /// Sets `found` to the texels that hold one of `bytes` bytes from the address on, ascending by
    /// their addresses. False where one of the bytes is in no texel: outside of the images, or in
    /// the padding of one.
    bool find(std::uint64_t address, std::uint64_t bytes, std::vector<Found>& found) const;

private:
    struct Placed {
        std::uint64_t first = 0; ///< address of its first byte
        std::uint64_t last = 0;  ///< and of its last one
        std::size_t image = 0;
        std::uint64_t bytes_per_texel = 0;
        /// Offset and texel, ascending by offset.
        std::vector<std::pair<std::uint64_t, Texel>> texels;
    };
    std::vector<Placed> placed_; ///< ascending by address
};

} // namespace texelscope::sim
