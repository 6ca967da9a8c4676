// Of a sequence of launches, what the shared caches hold between two of them. store() lets a
// launch's output go through them, granule by granule.

#include "sim/memory/sequence_memory.hpp"

#include <algorithm>
#include <vector>

namespace texelscope::sim {
namespace {

/// Numbers of the granules of an image's box, ascending.
std::vector<std::int64_t> granules_of(const StoredImage& image, const TexelBox& box,
                                      std::int64_t unit)
{
    std::vector<std::int64_t> granules;
    for (std::int32_t y = box.first.y; y < box.first.y + box.extent.height; ++y) {
        for (std::int32_t x = box.first.x; x < box.first.x + box.extent.width; ++x) {
            const std::int64_t address = image.address({x, y});
            for (std::int64_t g = address / unit; g <= (address + image.bytes_per_texel - 1) / unit;
                 ++g) {
                if (granules.empty() || granules.back() != g) {
                    granules.push_back(g);
                }
            }
        }
    }
    std::ranges::sort(granules);
    granules.erase(std::unique(granules.begin(), granules.end()), granules.end());
    return granules;
}

} // namespace

void store(SequenceMemory& memory, const SimulationOptions& options, const StoredImage& image,
           const TexelBox& box)
{
    // One shared level after another: each is asked for what the level before did not have.
    std::vector<std::int64_t> asked;
    std::int64_t unit = 0;
    std::size_t number = 0;
    for (const CacheLevel& level : options.machine.levels()) {
        if (!level.shared) {
            continue;
        }
        const std::int64_t granule = level.geometry.granule().value;
        if (number == 0) {
            asked = granules_of(image, box, granule);
        } else {
            std::ranges::transform(asked, asked.begin(), UnitScale(unit, granule));
        }
        unit = granule;
        Cache cache(level.geometry, memory.size, false);
        if (number < memory.shared.size()) {
            cache.restore(memory.shared[number]);
        } else {
            memory.shared.emplace_back();
        }
        std::vector<std::int64_t> absent;
        for (const std::int64_t one : asked) {
            constexpr std::int32_t this_one[]{0};
            std::uint8_t missed = 0;
            cache.look_up({one, this_one}, &missed);
            if (missed != 0) {
                absent.push_back(one);
            }
        }
        memory.shared[number++] = cache.save();
        asked = std::move(absent);
    }
}

} // namespace texelscope::sim
