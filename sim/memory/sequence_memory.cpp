#include "sim/memory/sequence_memory.hpp"

#include <algorithm>
#include <vector>

namespace texelscope::sim {

void store(SequenceMemory& memory, const SimulationOptions& options, const StoredImage& image, const TexelBox& box)
{
    if (!options.machine.has_l2()) {
        return;
    }
    const std::int64_t unit = options.machine.l2().geometry.granule().value;
    std::vector<std::int64_t> granules;
    for (std::int32_t y = box.first.y; y < box.first.y + box.extent.height; ++y) {
        for (std::int32_t x = box.first.x; x < box.first.x + box.extent.width; ++x) {
            const std::int64_t address = image.address({x, y});
            for (std::int64_t g = address / unit; g <= (address + image.bytes_per_texel - 1) / unit; ++g) {
                if (granules.empty() || granules.back() != g) {
                    granules.push_back(g);
                }
            }
        }
    }
    std::ranges::sort(granules);
    granules.erase(std::unique(granules.begin(), granules.end()), granules.end());
    Cache l2(options.machine.l2().geometry, memory.size, false);
    if (memory.l2) {
        l2.restore(*memory.l2);
    }
    for (const std::int64_t granule : granules) {
        constexpr std::int32_t this_one[]{0};
        l2.look_up({granule, this_one}, nullptr);
    }
    memory.l2 = l2.save();
}

} // namespace texelscope::sim
