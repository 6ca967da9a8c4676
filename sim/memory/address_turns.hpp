#pragma once

#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"
#include "traces/trace_source.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace texelscope::sim {

/// Cycles that the texture unit takes to compute the addresses of a warp access. The unit takes
/// `texture.lanes` lanes at a time, in the order of the warp. Of these it serves in one cycle all
/// lanes that read in the same aligned block of memory, or all of them where texture.block is 0.
/// `buffers.lanes` and `buffers.block` say the same of accesses whose first lane reads a buffer.
/// The result is 0 in untimed mode, and where the device's profile does not give these lanes: then
/// only lookups take time.
class AddressTurns {
public:
    /// `images` must outlive this.
    AddressTurns(std::span<const StoredImage> images, const SimulationOptions& options);

    /// Cycles for the lanes of an access.
    [[nodiscard]] int of(std::span<const LaneRead> lanes) const;
    /// Cycles for lanes that read one image at the texels `lanes`, each moved by `first`.
    [[nodiscard]] int of(int image, std::span<const Texel> lanes, Texel first) const;

private:
    struct Unit {
        std::size_t lanes = 0;  ///< 0: addresses take no time
        std::int64_t block = 0; ///< size of an aligned block in bytes; 0: there are none
    };
    template <class Lanes, class ImageOf, class TexelOf>
    [[nodiscard]] int count(const Lanes& lanes, const ImageOf& image_of,
                            const TexelOf& texel_of) const;

    std::span<const StoredImage> images_;
    Unit of_images_, of_buffers_;
};

} // namespace texelscope::sim
