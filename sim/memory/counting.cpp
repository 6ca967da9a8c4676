#include "sim/memory/counting.hpp"

namespace texelscope::sim {

Counting::Counting(std::span<const Image> images, const SimulationOptions& options, const StopToken& stop)
    : options_(options), poll_(stop), images_(store_images(images, options)), caches_(options, storage_size(images_)),
      granule_(options.l1.granule().value), touched_(static_cast<std::size_t>(options.cores) * images.size()),
      coalescer_(images_, granule_)
{}

Coalescer::Coalesced Counting::coalesced(int core, const WarpAccess& access)
{
    const Coalescer::Coalesced found = coalescer_.coalesce(access.lanes);
    for (std::size_t i = 0; options_.miss_kinds && i < found.granules.size(); ++i) {
        const std::size_t image = found.images.empty() ? found.image : found.images[i];
        touch(core, image, found.granules[i]);
    }
    return found;
}

void Counting::access(int core, const WarpAccess& access)
{
    const Coalescer::Coalesced found = coalesced(core, access);
    this->access(core, {0, found.granules, true}, found.texel_reads,
                 static_cast<std::int64_t>(access.lanes.size()) - found.texel_reads);
}

void Counting::access(int core, const WarpAccess& access, std::vector<TimedLookup>& lookups)
{
    const Coalescer::Coalesced found = coalesced(core, access);
    this->access(core, {0, found.granules, true}, found.texel_reads,
                 static_cast<std::int64_t>(access.lanes.size()) - found.texel_reads, lookups);
}

void Counting::access(int core, const LineList& granules, std::int64_t texel_reads, std::int64_t border_reads,
                      std::vector<TimedLookup>& lookups)
{
    const std::size_t count = granules.deltas.size();
    count_step(border_reads);
    found_.resize(count);
    caches_.access(core, granules, texel_reads, found_);
    lookups_ += static_cast<std::int64_t>(count);
    lookups.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        lookups[i] = {(granules.first + granules.deltas[i]) * granule_, found_[i]};
    }
}

void Counting::repeat(const Tally& from, const Tally& to, std::int64_t times)
{
    caches_.add(from.caches, to.caches, times);
    steps_ += (to.steps - from.steps) * times;
    border_reads_ += (to.border_reads - from.border_reads) * times;
}

CacheStatistics Counting::statistics(const CacheCounts& counts, std::int64_t compulsory,
                                     const CacheGeometry& geometry) const
{
    CacheStatistics statistics;
    statistics.texel_reads = counts.texel_reads;
    statistics.lookups = counts.lookups;
    statistics.hits = counts.lookups - counts.misses;
    if (options_.miss_kinds) {
        // The first touch of a granule misses in every cache.
        statistics.compulsory = compulsory;
        statistics.capacity = counts.ideal_misses - compulsory;
        statistics.conflict = counts.misses - counts.ideal_misses;
    } else {
        statistics.unclassified = counts.misses;
    }
    statistics.evictions = counts.evictions;
    statistics.bytes_filled = geometry.granule() * counts.misses;
    return statistics;
}

void Counting::finish(SimulationResult& result) const
{
    const std::size_t images = images_.size();
    for (std::size_t core = 0; core < result.cores.size(); ++core) {
        BitField touched; // a granule may lie in two images
        for (std::size_t image = 0; image < images; ++image) {
            touched.insert_shifted(touched_[core * images + image], 0);
        }
        result.cores[core].l1 = statistics(caches_.counts()[core], touched.count(), options_.l1);
        result.memory_bytes += result.cores[core].l1.bytes_filled;
    }
    if (options_.has_l2()) {
        // What some core touches first, no core has in L1: L2 sees the first touch of every granule of L1.
        BitField all;
        for (const BitField& field : touched_) {
            all.insert_shifted(field, 0);
        }
        const std::int64_t compulsory = all.scaled(granule_, options_.l2.granule().value).count();
        result.l2 = statistics(caches_.counts().back(), compulsory, options_.l2);
        result.memory_bytes = result.l2.bytes_filled;
    }
    result.steps = steps_;
    result.simulated_steps = steps_simulated_;
    result.border_reads = border_reads_;
}

} // namespace texelscope::sim
