// Collects every access to a texel, or to the cache line that it lies in: who, when, and what the
// caches answered. on_access() notes the lanes that concern it and the granules they ask for; the
// lookups of these granules follow, and on_lookup() adds them. Beyond `limit`, touches are only
// counted.

#include "sim/observers/texel_touches.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace texelscope::sim {

TexelTouchObserver::TexelTouchObserver(std::span<const Image> images,
                                       const SimulationOptions& options, ImageTexel texel,
                                       bool whole_line, AccessSelection selection,
                                       std::size_t limit)
    : images_(store_images(images, options)), line_(options.machine.l1().geometry.line.value),
      granule_(options.machine.l1().geometry.granule().value), texel_(texel),
      whole_line_(whole_line), selection_(selection), limit_(limit), target_line_(0)
{
    const Image& image = images[texel.image];
    if (!image.extent.contains(texel.texel)) {
        throw bad_input("image " + image.name + " of " + std::to_string(image.extent.width) + "x" +
                        std::to_string(image.extent.height) + " texels has no texel " +
                        std::to_string(texel.texel.x) + "," + std::to_string(texel.texel.y));
    }
    target_line_ = images_[texel.image].address(texel.texel) / line_;
}

bool TexelTouchObserver::concerns(const LaneRead& read) const
{
    if (read.image != texel_.image) {
        return false;
    }
    return whole_line_ ? images_[read.image].address(read.texel) / line_ == target_line_
                       : read.texel == texel_.texel;
}

void TexelTouchObserver::on_access(int core, std::int64_t group, std::int32_t warp,
                                   std::uint32_t step, std::int64_t access_index,
                                   std::span<const LaneRead> lanes)
{
    awaited_.clear();
    if (!selection_.contains(step, access_index)) {
        return;
    }
    TexelTouch touch{core, group, warp, step, access_index, {}, {}};
    for (const LaneRead& read : lanes) {
        if (concerns(read)) {
            touch.lanes.push_back({read.lane, read.texel});
        }
    }
    if (touch.lanes.empty()) {
        return;
    }
    ++count_;
    if (touches_.size() == limit_) {
        return;
    }
    const StoredImage& image = images_[texel_.image];
    for (const TexelTouch::Lane& lane : touch.lanes) {
        // A texel may be larger than a granule, and then takes several lookups.
        const std::int64_t first = image.address(lane.texel);
        for (std::int64_t granule = first / granule_;
             granule * granule_ < first + image.bytes_per_texel; ++granule) {
            awaited_.push_back(granule * granule_);
        }
    }
    touches_.push_back(std::move(touch));
}

void TexelTouchObserver::on_lookup(const LookupEvent& event)
{
    // Where lines came from is kept for all lookups, so that it is known for those asked about.
    std::optional<ImageTexel> evicted_from;
    if (!event.l1.hit()) {
        if (event.l1.evicted) {
            evicted_from = origins_.evict(event.core, *event.l1.evicted);
        }
        origins_.fill(event.core, event.line, {event.image, event.texel});
    }
    if (std::find(awaited_.begin(), awaited_.end(), event.address) != awaited_.end()) {
        touches_.back().lookups.push_back({event.address, event.l1, event.behind, evicted_from});
    }
}

} // namespace texelscope::sim
