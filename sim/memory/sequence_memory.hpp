#pragma once

#include "sim/cache/cache.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {

/// Memory that the launches of a sequence share, as the next launch finds it. A launch finds in the
/// shared caches what the launches before left there. The caches of a single core begin empty:
/// nothing keeps them coherent with what kernels write, so devices empty them between launches.
struct SequenceMemory {
    Bytes size{0}; ///< all addresses are below it
    /// By image of the launch: its address, a multiple of image_alignment.
    std::vector<std::int64_t> bases;
    /// Contents of the levels that all cores share; no elements where they are empty.
    std::vector<Cache::Snapshot> shared;
};

/// A rectangle of texels of an image.
struct TexelBox {
    Texel first;
    Extent2D extent;
};

/// Writes the texels of a box: afterwards they are in the shared caches. The first shared level is
/// used in the order of their addresses, and each next level for what the one before did not have.
/// (The L2 of a GPU takes writes in and writes them back to memory later.) Does nothing where there
/// is no shared cache.
void store(SequenceMemory& memory, const SimulationOptions& options, const StoredImage& image,
           const TexelBox& box);

} // namespace texelscope::sim
