#pragma once

#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"
#include "traces/trace_source.hpp"

#include <optional>
#include <span>

namespace texelscope::sim {

/// Cycles that the texture unit takes to work out the addresses of a warp access. It takes so many
/// lanes at a time, in the order of the warp, and those of them that read in one aligned block of
/// memory in one cycle (texture.lanes). 0 in untimed mode, and where the device's profile does not
/// say so: then lookups alone take time.
class AddressTurns {
public:
    /// `images` must outlive this.
    AddressTurns(std::span<const StoredImage> images, const SimulationOptions& options)
        : images_(images),
          lanes_(options.mode.timed ? options.machine.timing.texture_lanes : std::nullopt),
          block_(options.machine.timing.texture_block.value)
    {}

    [[nodiscard]] int of(std::span<const LaneRead> lanes) const;
    /// Lanes that read one image at these texels, all moved by `first`.
    [[nodiscard]] int of(int image, std::span<const Texel> lanes, Texel first) const;

private:
    template <class Lanes, class ImageOf, class TexelOf>
    [[nodiscard]] int count(const Lanes& lanes, const ImageOf& image_of,
                            const TexelOf& texel_of) const;

    std::span<const StoredImage> images_;
    std::optional<int> lanes_; ///< nothing: addresses take no time
    std::int64_t block_;       ///< bytes
};

} // namespace texelscope::sim
