#pragma once

#include "traces/image.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::traces {

/// CLK_ADDRESS_*: what becomes of coordinates outside of the image. OpenCL C 1.2, section
/// 6.12.14.1.
enum class SamplerAddress {
    none,            ///< nothing: the kernel promises to stay inside
    clamp_to_edge,   ///< the nearest texel of the edge
    clamp,           ///< the border colour
    repeat,          ///< modulo the size; normalized coordinates only
    mirrored_repeat, ///< the same, every other time backwards; normalized coordinates only
};

struct Sampler {
    SamplerAddress address = SamplerAddress::none;
    bool linear = false; ///< interpolates between the neighbours, else the nearest texel
    bool normalized = false;

    bool operator==(const Sampler&) const = default;
};

/// The shape of an image as a read sees it.
struct SampledImage {
    /// Number of dimensions that can be interpolated: 1, 2 or 3, without the layer of an array.
    int dimensions = 2;
    /// Width, height, depth in texels; 1 beyond `dimensions`.
    std::array<std::int32_t, 3> size{1, 1, 1};
    std::int32_t layers = 0; ///< of an array, else 0
};

/// A texel with its slice (3D) or layer (array).
struct VolumeTexel {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    auto operator<=>(const VolumeTexel&) const = default;
};

/// The texels that one read touches, in the order x fastest, then y, then z: one, or 2^dimensions
/// with linear filtering, where neighbours that coincide at the edge are listed again, so that
/// every read of an instruction has as many. OpenCL 1.2, section 8.2 and 8.3 (arrays: the layer is
/// rounded and clamped). A texel outside of the image is returned as such with
/// SamplerAddress::clamp (the border colour, no memory) and none; the others never leave the image.
/// `coordinates`: as many as dimensions plus one for the layer of an array, each in the kernel's
/// own unit.
class TouchedTexels {
public:
    TouchedTexels(const SampledImage& image, Sampler sampler, std::span<const double> coordinates);

    [[nodiscard]] std::span<const VolumeTexel> texels() const { return {texels_.data(), count_}; }

private:
    std::array<VolumeTexel, 8> texels_{};
    std::size_t count_ = 0;
};

} // namespace texelscope::traces
