// All caches of a device. `caches_` holds the L1 of every core, then the L1 of buffers if there is
// one, then the levels behind, each for every core or a single shared one. Lookups of a warp access
// go to L1 together, and what misses goes on, packed, to the next level.

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
    : cores_(options.machine.cores), buffers_(options.kernel.buffers.kind)
{
    const std::vector<CacheLevel> levels = options.machine.levels();
    caches_.reserve((levels.size() + 1) * static_cast<std::size_t>(cores_));
    const auto add = [&](CacheGeometry geometry, int count) {
        for (int cache = 0; cache < count; ++cache) {
            caches_.emplace_back(geometry, footprint, options.mode.miss_kinds);
            ++geometry.seed; // so that random victims differ between the cores
        }
    };
    add(levels.front().geometry, cores_);
    if (buffers_ == BufferPath::Kind::own_l1) {
        add(*first_level(options.machine, options.kernel.buffers, true), cores_);
    }
    // The granules of a warp access are distinct. They stay so in a level whose granules are no
    // larger than those of the level before.
    bool distinct = true;
    for (std::size_t level = 1; level < levels.size(); ++level) {
        const CacheGeometry& geometry = levels[level].geometry;
        const std::int64_t asked = levels[level - 1].geometry.granule().value;
        const std::int64_t granule = geometry.granule().value;
        distinct = distinct && asked % granule == 0;
        behind_.push_back({levels[level].name, caches_.size(), levels[level].shared,
                           UnitScale(asked, granule), distinct});
        add(geometry, levels[level].shared ? 1 : cores_);
    }
    look_at_cores(0, cores_);
}

void CacheHierarchy::look_at_cores(int first, int last)
{
    in_view_.clear();
    const int firsts = buffers_ == BufferPath::Kind::own_l1 ? 2 : 1;
    for (int level = 0; level < firsts; ++level) {
        for (int core = first; core < last; ++core) {
            in_view_.push_back(&caches_[static_cast<std::size_t>(level * cores_ + core)]);
        }
    }
    for (const Behind& level : behind_) {
        for (int core = first; core < (level.shared ? first + 1 : last); ++core) {
            in_view_.push_back(&caches_[level.cache_of(core)]);
        }
    }
}

void CacheHierarchy::access(int core, const LineList& granules, std::int64_t texel_reads,
                            std::span<FoundIn> found, bool buffer)
{
    const std::size_t size = granules.deltas.size();
    if (missed_.size() < size) {
        missed_.resize(size);
        missed_behind_.resize(size);
        asked_.resize(size);
    }
    const bool past = buffer && buffers_ == BufferPath::Kind::l2;
    const bool own = buffer && buffers_ == BufferPath::Kind::own_l1;
    Cache& l1 = caches_[static_cast<std::size_t>(own ? cores_ + core : core)];
    l1.counts().texel_reads += texel_reads;
    // Buffers that go past L1 miss there by definition, without a lookup that would count.
    if (past) {
        std::fill_n(missed_.begin(), size, std::uint8_t{1});
    } else {
        l1.look_up(granules, !behind_.empty() || !found.empty() ? missed_.data() : nullptr);
    }
    if (!behind_.empty()) {
        look_up_behind(core, granules, !found.empty());
    }
    // The number of levels that missed is the number of the level that has the data.
    std::copy_n(missed_.begin(), found.size(), found.begin());
}

void CacheHierarchy::access(int core, const LineList& granules, std::int64_t texel_reads,
                            std::span<LookupDetail> details)
{
    Cache& l1 = caches_[static_cast<std::size_t>(core)];
    l1.counts().texel_reads += texel_reads;
    l1.look_up(granules, details);
    if (!behind_.empty()) {
        missed_.resize(details.size());
        missed_behind_.resize(details.size());
        asked_.resize(details.size());
        std::transform(
            details.begin(), details.end(), missed_.begin(),
            [](const LookupDetail& detail) { return static_cast<std::uint8_t>(detail.missed); });
        look_up_behind(core, granules, false);
    }
}

CacheHierarchy::Outcome CacheHierarchy::lookup(int core, std::int64_t address)
{
    const Cache* before = &caches_[static_cast<std::size_t>(core)];
    Outcome outcome{caches_[static_cast<std::size_t>(core)].lookup(address), {}};
    bool hit = outcome.l1.hit();
    for (std::size_t level = 0; level < behind_.size() && !hit; ++level) {
        const std::int64_t unit = before->geometry().granule().value;
        address = address / unit * unit; // first byte of the granule that the level before asks for
        Cache& cache = caches_[behind_[level].cache_of(core)];
        outcome.behind.push_back(cache.lookup(address));
        hit = outcome.behind.back().hit();
        before = &cache;
    }
    return outcome;
}

void CacheHierarchy::look_up_behind(int core, const LineList& granules, bool wants_found)
{
    // Pack the granules that missed in L1, without branches: every one is written, and the next one
    // overwrites it unless it missed.
    std::size_t misses = 0;
    const UnitScale scale = behind_.front().scale;
    for (std::size_t i = 0; i < granules.deltas.size(); ++i) {
        asked_[misses] = static_cast<std::int32_t>(scale(granules.first + granules.deltas[i]));
        misses += missed_[i];
    }
    for (std::size_t at = 0; at < behind_.size() && misses > 0; ++at) {
        const bool more = at + 1 < behind_.size();
        const Behind& level = behind_[at];
        caches_[level.cache_of(core)].look_up({0, {asked_.data(), misses}, level.distinct},
                                              more || wants_found ? missed_behind_.data()
                                                                  : nullptr);
        // missed_behind_ is by granule asked: those that have missed in every level so far.
        if (wants_found) {
            const std::uint8_t* absent = missed_behind_.data();
            for (std::size_t i = 0; i < granules.deltas.size(); ++i) {
                if (missed_[i] == at + 1) {
                    missed_[i] = static_cast<std::uint8_t>(missed_[i] + *absent++);
                }
            }
        }
        if (more) {
            std::size_t left = 0;
            for (std::size_t i = 0; i < misses; ++i) {
                asked_[left] = static_cast<std::int32_t>(behind_[at + 1].scale(asked_[i]));
                left += missed_behind_[i];
            }
            misses = left;
        }
    }
}

CacheHierarchy::Snapshot CacheHierarchy::save_shared() const
{
    Snapshot contents;
    for (const Behind& level : behind_) {
        if (level.shared) {
            contents.push_back(caches_[level.first].save());
        }
    }
    return contents;
}

void CacheHierarchy::restore_shared(const Snapshot& contents)
{
    auto from = contents.begin();
    for (const Behind& level : behind_) {
        if (level.shared) {
            caches_[level.first].restore(*from++);
        }
    }
}

// Counters of all caches, in the order of `caches_`.
std::vector<CacheCounts> CacheHierarchy::counts() const
{
    std::vector<CacheCounts> counts(caches_.size());
    std::transform(caches_.begin(), caches_.end(), counts.begin(),
                   [](const Cache& cache) { return cache.counts(); });
    return counts;
}

void CacheHierarchy::add(const std::vector<CacheCounts>& from, const std::vector<CacheCounts>& to,
                         std::int64_t factor)
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
    return std::all_of(caches_.begin(), caches_.end(), [&](const Cache& cache) {
        return cache.rotates_sets(shift.lines_of(cache.geometry().line));
    });
}

CacheHierarchy::Comparison CacheHierarchy::is_shifted(const Snapshot& snapshot,
                                                      const MemoryShift& shift) const
{
    Comparison comparison{true, 0};
    const auto lines = [&](const Cache& cache) { return shift.lines_of(cache.geometry().line); };
    for (std::size_t i = 0; comparison.equal && i < in_view_.size(); ++i) {
        comparison.compared += in_view_[i]->tags_size();
        comparison.equal = in_view_[i]->tags_are_shifted(snapshot[i], lines(*in_view_[i]));
    }
    // Ideal caches come last: they take longer to compare, and where they differ, tags mostly do.
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
