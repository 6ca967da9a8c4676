// Cycles that the texture unit spends on addresses: it takes so many lanes of a warp at once, and
// needs a turn for each distinct block of memory that these lanes read in.

#include "sim/memory/address_turns.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace texelscope::sim {

AddressTurns::AddressTurns(std::span<const StoredImage> images, const SimulationOptions& options)
    : images_(images)
{
    const auto unit = [&](bool buffer) {
        const ReadService service = options.machine.service_of(buffer);
        return Unit{options.mode.timed ? static_cast<std::size_t>(service.lanes.value_or(0)) : 0,
                    service.block.value};
    };
    of_images_ = unit(false);
    of_buffers_ = unit(true);
}

template <class Lanes, class ImageOf, class TexelOf>
int AddressTurns::count(const Lanes& lanes, const ImageOf& image_of, const TexelOf& texel_of) const
{
    if (lanes.empty()) {
        return 0;
    }
    const auto [at_once, block_size] =
        images_[image_of(lanes.front())].buffer ? of_buffers_ : of_images_;
    int turns = 0;
    std::vector<std::int64_t> blocks;
    for (std::size_t first = 0; at_once > 0 && first < lanes.size(); first += at_once) {
        if (block_size == 0) {
            ++turns;
            continue;
        }
        const std::size_t end = std::min(lanes.size(), first + at_once);
        blocks.clear();
        for (std::size_t lane = first; lane < end; ++lane) {
            const auto address =
                images_[image_of(lanes[lane])].address_of_read(texel_of(lanes[lane]));
            if (!address) {
                continue;
            }
            const std::int64_t block = *address / block_size;
            if (std::ranges::find(blocks, block) == blocks.end()) {
                blocks.push_back(block);
            }
        }
        // Lanes that all read the border colour still take a cycle.
        turns += std::max(1, static_cast<int>(blocks.size()));
    }
    return turns;
}

int AddressTurns::of(std::span<const LaneRead> lanes) const
{
    return count(
        lanes, [](const LaneRead& lane) { return lane.image; },
        [](const LaneRead& lane) { return lane.texel; });
}

int AddressTurns::of(int image, std::span<const Texel> lanes, Texel first) const
{
    return count(
        lanes, [image](Texel) { return static_cast<std::size_t>(image); },
        [first](Texel lane) {
            return Texel{first.x + lane.x, first.y + lane.y};
        });
}

} // namespace texelscope::sim
