#include "sim/memory/memory_hierarchy.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace texelscope::sim {

MemoryHierarchy::MemoryHierarchy(std::span<const Image> images, const SimulationOptions& options,
                                 const StopToken& stop,
                                 std::span<SimulationObserver* const> observers,
                                 SequenceMemory* sequence)
    : options_(options), check_stop_(stop), observers_(observers),
      images_(sequence == nullptr ? store_images(images, options)
                                  : store_images(images, options, sequence->bases)),
      caches_(options, sequence == nullptr ? storage_size(images_) : sequence->size),
      granule_(options.machine.l1().geometry.granule().value),
      touched_(static_cast<std::size_t>(options.machine.cores) * images.size()),
      sequence_(sequence), coalescer_(images_, granule_)
{
    std::ranges::transform(images, std::back_inserter(is_buffer_), &Image::buffer);
    if (sequence != nullptr && sequence->l2) {
        caches_.restore_l2(*sequence->l2);
    }
}

void MemoryHierarchy::access(int core, WarpId warp, const WarpAccess& access, std::vector<TimedLookup>* lookups)
{
    if (!observers_.empty()) {
        return observed_access(core, warp, access, lookups);
    }
    const Coalescer::Coalesced found = coalescer_.coalesce(access.lanes);
    const LineList granules{0, found.granules, true};
    if (options_.mode.miss_kinds && found.images.empty()) {
        touch(core, found.image, granules);
    } else if (options_.mode.miss_kinds) {
        for (std::size_t i = 0; i < found.granules.size(); ++i) {
            touch(core, found.images[i], found.granules[i]);
        }
    }
    const std::int64_t border_reads = static_cast<std::int64_t>(access.lanes.size()) - found.texel_reads;
    const std::size_t image = found.images.empty() ? found.image : found.images.front();
    if (lookups != nullptr) {
        this->access(core, image, granules, found.texel_reads, border_reads, *lookups);
    } else {
        this->access(core, image, granules, found.texel_reads, border_reads);
    }
}

void MemoryHierarchy::access(int core, std::size_t image, const LineList& granules, std::int64_t texel_reads,
                             std::int64_t border_reads, std::vector<TimedLookup>& lookups)
{
    const std::size_t count = granules.deltas.size();
    count_step(border_reads, count);
    found_.resize(count);
    caches_.access(core, granules, texel_reads, found_, is_buffer_[image]);
    lookups.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        lookups[i] = {(granules.first + granules.deltas[i]) * granule_, found_[i]};
    }
}

void MemoryHierarchy::observed_access(int core, WarpId warp, const WarpAccess& access,
                                      std::vector<TimedLookup>* lookups)
{
    inside_.clear();
    for (LaneRead read : access.lanes) {
        const StoredImage& image = images_[read.image];
        if (image.extent.contains(read.texel) || image.address_mode == AddressMode::edge) {
            read.texel = image.extent.clamp(read.texel);
            inside_.push_back(read);
        }
    }
    const Coalescer::Coalesced found = coalescer_.coalesce(inside_, true);
    const std::int64_t number = steps_;
    count_step(static_cast<std::int64_t>(access.lanes.size() - inside_.size()), found.granules.size());
    caches_.add_texel_reads(core, static_cast<std::int64_t>(inside_.size()));
    if (lookups != nullptr) {
        lookups->clear();
    }
    if (inside_.empty()) {
        return;
    }
    for (SimulationObserver* observer : observers_) {
        observer->on_access(core, warp.group, warp.warp, access.step, number, inside_);
    }
    const std::int64_t line = options_.machine.l1().geometry.line.value;
    for (std::size_t i = 0; i < found.granules.size(); ++i) {
        const LaneRead& first = inside_[found.first_lanes[i]];
        const std::int64_t address = found.granules[i] * granule_;
        touch(core, first.image, found.granules[i]);
        const CacheHierarchy::Outcome outcome = caches_.lookup(core, address);
        const LookupEvent event{core,        warp.group,  warp.warp, access.step,           number,
                                first.image, first.texel, address,   address / line * line, outcome.l1,
                                outcome.l2};
        for (SimulationObserver* observer : observers_) {
            observer->on_lookup(event);
        }
        if (lookups != nullptr) {
            const bool in_l2 = outcome.l2 && outcome.l2->hit();
            lookups->push_back({address, outcome.l1.hit() ? FoundIn::l1 : in_l2 ? FoundIn::l2 : FoundIn::memory});
        }
    }
}

void MemoryHierarchy::repeat(const Counters& from, const Counters& to, std::int64_t times)
{
    caches_.add(from.caches, to.caches, times);
    steps_ += (to.steps - from.steps) * times;
    border_reads_ += (to.border_reads - from.border_reads) * times;
}

void MemoryHierarchy::finish(SimulationResult& result) const
{
    const std::size_t images = images_.size();
    for (std::size_t core = 0; core < result.cores.size(); ++core) {
        std::array<BitField, 2> touched; // of images and of buffers; a granule may lie in two
        for (std::size_t image = 0; image < images; ++image) {
            const bool beside = options_.kernel.past_l1(is_buffer_[image]);
            touched[beside ? 1 : 0].insert_shifted(touched_[core * images + image], 0);
        }
        result.cores[core].l1 = caches_.l1(static_cast<int>(core)).statistics(touched[0].count());
        if (const Cache* const own = caches_.buffer_l1(static_cast<int>(core))) {
            result.cores[core].l1 += own->statistics(touched[1].count());
        }
        result.memory_bytes += result.cores[core].l1.bytes_filled;
    }
    if (options_.machine.has_l2()) {
        // What some core touches first, no core has in L1: L2 sees the first touch of every granule of L1.
        BitField all;
        for (const BitField& field : touched_) {
            all.insert_shifted(field, 0);
        }
        result.l2 = caches_.l2().statistics(
            all.scaled(granule_, options_.machine.l2().geometry.granule().value).count());
        result.memory_bytes = result.l2.bytes_filled;
    }
    if (sequence_ != nullptr) {
        sequence_->l2 = caches_.save_l2();
    }
    result.steps = steps_;
    result.simulated_steps = steps_simulated_;
    result.border_reads = border_reads_;
}

} // namespace texelscope::sim
