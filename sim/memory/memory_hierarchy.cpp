// The memory of a device as accesses of warps see it: coalescer, caches, counters, observers.
// Without observers, lookups of an access go through the caches as one list; with them, one by one.

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
    if (sequence != nullptr && !sequence->shared.empty()) {
        caches_.restore_shared(sequence->shared);
    }
}

void MemoryHierarchy::access(int core, WarpId warp, const WarpAccess& access,
                             std::vector<TimedLookup>* lookups)
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
    const std::int64_t border_reads =
        static_cast<std::int64_t>(access.lanes.size()) - found.texel_reads;
    const std::size_t image = found.images.empty() ? found.image : found.images.front();
    if (lookups != nullptr) {
        this->access(core, image, granules, found.texel_reads, border_reads, *lookups);
    } else {
        this->access(core, image, granules, found.texel_reads, border_reads);
    }
}

void MemoryHierarchy::access(int core, std::size_t image, const LineList& granules,
                             std::int64_t texel_reads, std::int64_t border_reads,
                             std::vector<TimedLookup>& lookups)
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
    // Observers see lanes that touch memory only, at the texel that is really read.
    for (LaneRead read : access.lanes) {
        const StoredImage& image = images_[read.image];
        if (image.extent.contains(read.texel) || image.address_mode == AddressMode::edge) {
            read.texel = image.extent.clamp(read.texel);
            inside_.push_back(read);
        }
    }
    const Coalescer::Coalesced found = coalescer_.coalesce(inside_, true);
    const std::int64_t number = steps_;
    count_step(static_cast<std::int64_t>(access.lanes.size() - inside_.size()),
               found.granules.size());
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
        const LookupEvent event{core,        warp.group,    warp.warp,
                                access.step, number,        first.image,
                                first.texel, address,       address / line * line,
                                outcome.l1,  outcome.behind};
        for (SimulationObserver* observer : observers_) {
            observer->on_lookup(event);
        }
        if (lookups != nullptr) {
            // FoundIn counts the levels that missed.
            const std::size_t missed = outcome.l1.hit() ? 0 : 1 + outcome.behind.missed();
            lookups->push_back({address, static_cast<FoundIn>(missed)});
        }
    }
}

void MemoryHierarchy::repeat(const Counters& from, const Counters& to, std::int64_t times)
{
    caches_.add(from.caches, to.caches, times);
    steps_ += (to.steps - from.steps) * times;
    border_reads_ += (to.border_reads - from.border_reads) * times;
}

// Compulsory misses of a level are the distinct granules that it is asked for. When a core touches
// a granule for the first time, none of its own caches has it. When the first of all cores touches
// it, none of the shared caches has it either. So the first touch of every granule reaches every
// level, and the granules of L1 tell those of all levels: the same bytes, in each level's unit.
Bytes MemoryHierarchy::finish_behind(SimulationResult& result) const
{
    const std::size_t images = images_.size();
    // Granules that are asked for, in the unit of the level before, by core: of all cores, also
    // those without work, which the result leaves out. From the first shared level on, there is a
    // single field for all of them.
    std::vector<BitField> asked(static_cast<std::size_t>(options_.machine.cores));
    for (std::size_t field = 0; field < touched_.size(); ++field) {
        asked[field / images].insert_shifted(touched_[field], 0);
    }
    std::int64_t unit = granule_;
    Bytes filled{0};
    for (std::size_t behind = 0; behind < caches_.levels_behind(); ++behind) {
        if (caches_.is_shared(behind)) {
            while (asked.size() > 1) {
                asked.front().insert_shifted(asked.back(), 0);
                asked.pop_back();
            }
        }
        CacheStatistics sum;
        const std::int64_t granule = caches_.behind(behind, 0).geometry().granule().value;
        for (std::size_t cache = 0; cache < asked.size(); ++cache) {
            asked[cache] = asked[cache].scaled(unit, granule);
            sum += caches_.behind(behind, static_cast<int>(cache)).statistics(asked[cache].count());
        }
        unit = granule;
        filled = sum.bytes_filled;
        result.behind.push_back({caches_.name(behind), sum});
    }
    return filled;
}

void MemoryHierarchy::finish(SimulationResult& result) const
{
    const std::size_t images = images_.size();
    for (std::size_t core = 0; core < result.cores.size(); ++core) {
        // Granules of images, and those of buffers that do not go through L1. They are united
        // because images of a sequence may share granules.
        std::array<BitField, 2> touched;
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
    if (caches_.levels_behind() > 0) {
        result.memory_bytes = finish_behind(result);
    }
    if (sequence_ != nullptr) {
        sequence_->shared = caches_.save_shared();
    }
    result.steps = steps_;
    result.simulated_steps = steps_simulated_;
    result.border_reads = border_reads_;
}

} // namespace texelscope::sim
