#pragma once

#include "sim/cache/cache.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// Memory that the launches of a sequence share, as one of them finds it. What a launch left in L2 is there for the next one; the caches
/// of the first level begin empty: nothing keeps them coherent with what kernels write, so that devices empty them between two
/// launches.
struct SequenceMemory {
    Bytes size{0};                     ///< all addresses are below it
    std::vector<std::int64_t> bases;   ///< address of each image of the launch, multiples of image_alignment
    std::optional<Cache::Snapshot> l2; ///< its contents; nothing: it is empty
};

/// A part of an image.
struct TexelBox {
    Texel first;
    Extent2D extent;
};

/// The texels of a box are written: they are in L2 then, used in the order of their addresses. (GPUs' L2s take writes in, and write them
/// back later.) Without an L2 nothing happens.
void store(SequenceMemory& memory, const SimulationOptions& options, const StoredImage& image, const TexelBox& box);

} // namespace texelscope::sim
