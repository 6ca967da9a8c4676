#include "sim/memory/cache_hierarchy.hpp"

#include <algorithm>

namespace texelscope::sim {

LineShift MemoryShift::lines_of(Bytes line) const
{
    std::vector<LineShift::ImageLines> lines;
    for (const ImageBytes& image : images) {
        lines.push_back({image.first / line.value, image.distance / line.value, image.moves});
    }
    return LineShift(std::move(lines));
}

MemoryShift MemoryShift::times(std::int64_t factor) const
{
    MemoryShift product = *this;
    for (ImageBytes& image : product.images) {
        image.distance *= factor;
    }
    return product;
}

CacheHierarchy::CacheHierarchy(const SimulationOptions& options, Bytes footprint)
    : cores_(options.machine.cores), buffers_(options.kernel.buffers.kind),
      has_l2_(options.machine.has_l2()),
      to_l2_(options.machine.l1().geometry.granule().value,
             has_l2_ ? options.machine.l2().geometry.granule().value : 1),
      distinct_in_l2_(has_l2_ && options.machine.l1().geometry.granule().value %
                                         options.machine.l2().geometry.granule().value ==
                                     0)
{
    const auto add_first_level = [&](CacheGeometry geometry) {
        for (int core = 0; core < options.machine.cores; ++core) {
            caches_.emplace_back(geometry, footprint, options.mode.miss_kinds);
            ++geometry.seed; // so that random victims differ between the cores
        }
    };
    caches_.reserve(2 * static_cast<std::size_t>(options.machine.cores) + 1);
    add_first_level(options.machine.l1().geometry);
    if (buffers_ == BufferPath::Kind::own_l1) {
        add_first_level(*first_level(options.machine, options.kernel.buffers, true));
    }
    if (has_l2_) {
        caches_.emplace_back(options.machine.l2().geometry, footprint, options.mode.miss_kinds);
    }
    look_at_cores(0, options.machine.cores);
}

void CacheHierarchy::look_at_cores(int first, int last)
{
    in_view_.clear();
    const int levels = buffers_ == BufferPath::Kind::own_l1 ? 2 : 1;
    for (int level = 0; level < levels; ++level) {
        for (int core = first; core < last; ++core) {
            in_view_.push_back(&caches_[static_cast<std::size_t>(level * cores_ + core)]);
        }
    }
    if (has_l2_) {
        in_view_.push_back(&caches_.back());
    }
}

void CacheHierarchy::access(int core, const LineList& granules, std::int64_t texel_reads, std::span<FoundIn> found,
                            bool buffer)
{
    const std::size_t size = granules.deltas.size();
    if (missed_.size() < size) {
        missed_.resize(size);
        missed_in_l2_.resize(size);
        l2_granules_.resize(size);
    }
    const bool past = buffer && buffers_ == BufferPath::Kind::l2;
    const bool own = buffer && buffers_ == BufferPath::Kind::own_l1;
    Cache& l1 = caches_[static_cast<std::size_t>(own ? cores_ + core : core)];
    l1.counts().texel_reads += texel_reads;
    if (past) {
        std::fill_n(missed_.begin(), size, std::uint8_t{1});
    } else {
        l1.look_up(granules, has_l2_ || !found.empty() ? missed_.data() : nullptr);
    }
    if (has_l2_) {
        look_up_missed(granules, found.empty() ? nullptr : missed_in_l2_.data());
    }
    const std::uint8_t* absent_in_l2 = missed_in_l2_.data();
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = missed_[i] == 0 ? FoundIn::l1 : has_l2_ && *absent_in_l2++ == 0 ? FoundIn::l2 : FoundIn::memory;
    }
}

void CacheHierarchy::access(int core, const LineList& granules, std::int64_t texel_reads,
                            std::span<LookupDetail> details)
{
    Cache& l1 = caches_[static_cast<std::size_t>(core)];
    l1.counts().texel_reads += texel_reads;
    l1.look_up(granules, details);
    if (has_l2_) {
        missed_.resize(details.size());
        l2_granules_.resize(details.size());
        std::transform(details.begin(), details.end(), missed_.begin(),
                       [](const LookupDetail& detail) { return static_cast<std::uint8_t>(detail.missed); });
        look_up_missed(granules, nullptr);
    }
}

CacheHierarchy::Outcome CacheHierarchy::lookup(int core, std::int64_t address)
{
    Outcome outcome{caches_[static_cast<std::size_t>(core)].lookup(address), std::nullopt};
    if (has_l2_ && !outcome.l1.hit()) {
        outcome.l2 = caches_.back().lookup(address);
    }
    return outcome;
}

void CacheHierarchy::look_up_missed(const LineList& granules, std::uint8_t* missed)
{
    std::size_t misses = 0;
    for (std::size_t i = 0; i < granules.deltas.size(); ++i) {
        l2_granules_[misses] = static_cast<std::int32_t>(to_l2_(granules.first + granules.deltas[i]));
        misses += missed_[i];
    }
    if (misses > 0) {
        caches_.back().look_up({0, {l2_granules_.data(), misses}, distinct_in_l2_}, missed);
    }
}

std::vector<CacheCounts> CacheHierarchy::counts() const
{
    std::vector<CacheCounts> counts(caches_.size());
    std::transform(caches_.begin(), caches_.end(), counts.begin(), [](const Cache& cache) { return cache.counts(); });
    return counts;
}

void CacheHierarchy::add(const std::vector<CacheCounts>& from, const std::vector<CacheCounts>& to, std::int64_t factor)
{
    for (std::size_t cache = 0; cache < caches_.size(); ++cache) {
        caches_[cache].counts() += (to[cache] - from[cache]) * factor;
    }
}

CacheHierarchy::Snapshot CacheHierarchy::save() const
{
    Snapshot snapshot;
    for (const Cache* cache : in_view_) {
        snapshot.push_back(cache->save());
    }
    return snapshot;
}

void CacheHierarchy::restore(const Snapshot& snapshot)
{
    for (std::size_t i = 0; i < snapshot.size(); ++i) {
        in_view_[i]->restore(snapshot[i]);
    }
}

bool CacheHierarchy::rotates_sets(const MemoryShift& shift) const
{
    return std::all_of(caches_.begin(), caches_.end(),
                       [&](const Cache& cache) { return cache.rotates_sets(shift.lines_of(cache.geometry().line)); });
}

CacheHierarchy::Comparison CacheHierarchy::is_shifted(const Snapshot& snapshot, const MemoryShift& shift) const
{
    Comparison comparison{true, 0};
    const auto lines = [&](const Cache& cache) { return shift.lines_of(cache.geometry().line); };
    for (std::size_t i = 0; comparison.equal && i < in_view_.size(); ++i) {
        comparison.compared += in_view_[i]->tags_size();
        comparison.equal = in_view_[i]->tags_are_shifted(snapshot[i], lines(*in_view_[i]));
    }
    // Ideal caches are larger to compare, and mostly differ where tags do.
    for (std::size_t i = 0; comparison.equal && i < in_view_.size(); ++i) {
        comparison.compared += in_view_[i]->ideal_size();
        comparison.equal = in_view_[i]->ideal_is_shifted(snapshot[i], lines(*in_view_[i]));
    }
    return comparison;
}

void CacheHierarchy::shift(const MemoryShift& shift)
{
    for (Cache* cache : in_view_) {
        cache->shift(shift.lines_of(cache->geometry().line));
    }
}

std::int64_t CacheHierarchy::snapshot_size() const
{
    std::int64_t size = 0;
    for (const Cache* cache : in_view_) {
        size += cache->tags_size() + cache->ideal_size();
    }
    return size;
}

} // namespace texelscope::sim
