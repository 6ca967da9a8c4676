#pragma once

#include "sim/cache/cache.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {

/// Memory that the launches of a sequence share, as one of them finds it. What a launch left in the
/// caches that all cores share is there for the next one; a core's own begin empty: nothing keeps
/// them coherent with what kernels write, so that devices empty them between two launches.
struct SequenceMemory {
    Bytes size{0}; ///< all addresses are below it
    /// Address of each image of the launch, multiples of image_alignment.
    std::vector<std::int64_t> bases;
    std::vector<Cache::Snapshot>
        shared; ///< contents of the levels that cores share; none: they are empty
};

/// A part of an image.
struct TexelBox {
    Texel first;
    Extent2D extent;
};

/// The texels of a box are written: they are in the caches that all cores share then, used in the
/// order of their addresses, those that one does not have in the next. (GPUs' L2s take writes in,
/// and write them back later.) Without such a cache nothing happens.
void store(SequenceMemory& memory, const SimulationOptions& options, const StoredImage& image,
           const TexelBox& box);

} // namespace texelscope::sim
