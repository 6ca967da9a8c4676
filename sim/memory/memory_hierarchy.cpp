#include "sim/memory/memory_hierarchy.hpp"

namespace texelscope::sim {
MemoryHierarchy::MemoryHierarchy(std::span<const Image> images, const SimulationOptions& options)
    : images_(store_images(images, options)), texel_reads_(static_cast<std::size_t>(options.cores), 0),
      granule_bytes_(options.l1.granule().value), line_bytes_(options.l1.line.value),
      distinct_(granule_count(images_, granule_bytes_))
{
    const Bytes footprint = storage_size(images_);
    for (int core = 0; core < options.cores; ++core) {
        CacheGeometry geometry = options.l1;
        geometry.seed += static_cast<std::uint64_t>(core); // so that random victims differ between the cores
        l1_.emplace_back(geometry, footprint, options.miss_kinds);
    }
    if (options.has_l2()) {
        l2_.emplace_back(options.l2, footprint, options.miss_kinds);
    }
}

MemoryHierarchy::Outcome MemoryHierarchy::access(int core, const WarpAccess& access)
{
    lanes_.clear();
    lookups_.clear();
    distinct_.clear();
    std::int64_t previous = -1;
    for (LaneRead read : access.lanes) {
        const StoredImage& image = images_[read.image];
        if (!image.extent.contains(read.texel)) {
            if (image.address_mode == AddressMode::border) {
                continue;
            }
            read.texel = image.extent.clamp(read.texel);
        }
        lanes_.push_back(read);
        const std::int64_t first_byte = image.address(read.texel);
        const std::int64_t last = (first_byte + image.bytes_per_texel - 1) / granule_bytes_;
        for (std::int64_t granule = first_byte / granule_bytes_; granule <= last; ++granule) {
            if (granule == previous || !distinct_.insert(granule)) {
                continue;
            }
            previous = granule;
            LookupEvent event;
            event.core = core;
            event.step = access.step;
            event.image = read.image;
            event.texel = read.texel;
            event.address = granule * granule_bytes_;
            event.line = event.address / line_bytes_ * line_bytes_;
            event.l1 = l1_[static_cast<std::size_t>(core)].lookup(event.address);
            if (!event.l1.hit() && !l2_.empty()) {
                event.l2 = l2_.front().lookup(event.address);
            }
            lookups_.push_back(event);
        }
    }
    texel_reads_[static_cast<std::size_t>(core)] += static_cast<std::int64_t>(lanes_.size());
    return {lanes_, lookups_, static_cast<std::int64_t>(access.lanes.size() - lanes_.size())};
}

CacheStatistics MemoryHierarchy::l1(int core) const
{
    CacheStatistics statistics = l1_[static_cast<std::size_t>(core)].statistics();
    statistics.texel_reads = texel_reads_[static_cast<std::size_t>(core)];
    return statistics;
}

CacheStatistics MemoryHierarchy::l2() const
{
    return l2_.empty() ? CacheStatistics{} : l2_.front().statistics();
}

Bytes MemoryHierarchy::memory_bytes() const
{
    if (!l2_.empty()) {
        return l2_.front().statistics().bytes_filled;
    }
    Bytes sum{0};
    for (const Cache& cache : l1_) {
        sum += cache.statistics().bytes_filled;
    }
    return sum;
}

} // namespace texelscope::sim
