#include "sim/cache/cache.hpp"

#include "sim/cache/tag_store.hpp"

#include <optional>
#include <vector>

namespace texelscope::sim {

class Cache::Impl {
public:
    Impl(const CacheGeometry& g, Bytes footprint, bool miss_kinds)
        : geometry((validate(g, "cache"), g)), tags(make_tag_store(g, footprint.value / g.line.value + 1)),
          touched(static_cast<std::size_t>(footprint.value / g.granule().value + 1), false)
    {
        if (miss_kinds && !g.is_fully_associative_lru()) {
            shadow.emplace(g.lines(), footprint.value / g.line.value + 1, g.sector.value > 0);
        }
    }

    [[nodiscard]] std::uint64_t sector_mask(std::int64_t address) const
    {
        return geometry.sector.value == 0 ? 1
                                          : std::uint64_t{1} << (address % geometry.line.value / geometry.sector.value);
    }

    CacheGeometry geometry;
    CacheStatistics statistics;
    TagStore tags;
    std::optional<LruStack> shadow; ///< fully associative LRU beside the cache, where that tells kinds of misses apart
    std::vector<bool> touched;      ///< by granule: was it ever filled
};

Cache::Cache(const CacheGeometry& geometry, Bytes footprint, bool miss_kinds)
    : impl_(std::make_unique<Impl>(geometry, footprint, miss_kinds))
{}
Cache::~Cache() = default;
Cache::Cache(Cache&&) noexcept = default;
Cache& Cache::operator=(Cache&&) noexcept = default;

LookupOutcome Cache::lookup(std::int64_t address)
{
    Impl& c = *impl_;
    const std::int64_t line = address / c.geometry.line.value;
    const std::uint64_t sector = c.sector_mask(address);
    const FillOutcome fill = std::visit([&](auto& tags) { return tags.access(line, sector); }, c.tags);
    const FillOutcome ideal = c.shadow ? c.shadow->access(line, sector) : fill;

    LookupOutcome outcome;
    ++c.statistics.lookups;
    if (fill.sector_present) {
        ++c.statistics.hits;
        return outcome;
    }
    c.statistics.bytes_filled += c.geometry.granule();
    const auto granule = static_cast<std::size_t>(address / c.geometry.granule().value);
    if (!c.touched[granule]) {
        c.touched[granule] = true;
        outcome.miss = MissKind::compulsory;
        ++c.statistics.compulsory;
    } else if (!ideal.sector_present) {
        outcome.miss = MissKind::capacity;
        ++c.statistics.capacity;
    } else {
        outcome.miss = MissKind::conflict;
        ++c.statistics.conflict;
    }
    if (fill.evicted_line >= 0) {
        outcome.evicted = fill.evicted_line * c.geometry.line.value;
        ++c.statistics.evictions;
    }
    return outcome;
}

const CacheStatistics& Cache::statistics() const
{
    return impl_->statistics;
}

const CacheGeometry& Cache::geometry() const
{
    return impl_->geometry;
}

bool Cache::contains(std::int64_t address) const
{
    const std::int64_t line = address / impl_->geometry.line.value;
    const std::uint64_t sector = impl_->sector_mask(address);
    return std::visit([&](const auto& tags) { return tags.contains(line, sector); }, impl_->tags);
}

} // namespace texelscope::sim
