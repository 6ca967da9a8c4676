#include "sim/memory/cache_tree.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace texelscope::sim {

CacheTree::Rescale::Rescale(std::int64_t from_unit, std::int64_t to_unit) : from(from_unit), to(to_unit)
{
    const std::int64_t common = std::gcd(from, to);
    from /= common;
    to /= common;
    if (std::has_single_bit(static_cast<std::uint64_t>(to))) {
        shift = std::countr_zero(static_cast<std::uint64_t>(to));
    }
}

CacheCounts& CacheCounts::operator+=(const CacheCounts& other)
{
    texel_reads += other.texel_reads;
    lookups += other.lookups;
    misses += other.misses;
    ideal_misses += other.ideal_misses;
    evictions += other.evictions;
    return *this;
}

CacheCounts operator-(const CacheCounts& a, const CacheCounts& b)
{
    CacheCounts difference = a;
    return difference += b * -1;
}

CacheCounts operator*(const CacheCounts& a, std::int64_t factor)
{
    return {a.texel_reads * factor, a.lookups * factor, a.misses * factor, a.ideal_misses * factor,
            a.evictions * factor};
}

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

struct CacheTree::Level {
    Level(const CacheGeometry& g, Bytes footprint, bool kinds)
        : geometry(g), tags(make_tag_store(g, footprint.value / g.line.value + 1)),
          line_of(g.granule().value, g.line.value), sectors_per_line(g.line / g.granule())
    {
        if (kinds && !g.is_fully_associative_lru()) {
            shadow.emplace(g.lines(), footprint.value / g.line.value + 1, g.sector.value > 0);
        }
    }

    /// Where a granule is.
    struct Place {
        std::int64_t line;
        std::uint64_t sector_mask;
    };
    [[nodiscard]] Place place(std::int64_t granule) const
    {
        const std::int64_t line = line_of(granule);
        return {line, std::uint64_t{1} << (granule - line * sectors_per_line)};
    }

    /// Looks up granules.
    template <class Store>
    LookupCount look_up(Store& store, const LineList& granules, std::uint8_t* missed) const
    {
        if (sectors_per_line == 1) {
            return store.access_all(granules, missed);
        }
        LookupCount count;
        for (std::size_t i = 0; i < granules.deltas.size(); ++i) {
            const Place at = place(granules.first + granules.deltas[i]);
            const FillOutcome outcome = store.access(at.line, at.sector_mask);
            count.misses += outcome.sector_present ? 0 : 1;
            count.evictions += outcome.evicted_line >= 0 ? 1 : 0;
            if (missed != nullptr) {
                missed[i] = outcome.sector_present ? 0 : 1;
            }
        }
        return count;
    }

    CacheGeometry geometry;
    TagStore tags;
    Rescale line_of; ///< of a granule
    std::int64_t sectors_per_line;
    std::optional<LruStack> shadow; ///< fully associative LRU of the same capacity, where kinds are asked for
};

CacheTree::CacheTree(const SimulationOptions& options, Bytes footprint)
    : counts_(static_cast<std::size_t>(options.cores) + (options.has_l2() ? 1 : 0)), has_l2_(options.has_l2()),
      to_l2_(options.l1.granule().value, has_l2_ ? options.l2.granule().value : 1),
      distinct_in_l2_(has_l2_ && options.l1.granule().value % options.l2.granule().value == 0)
{
    for (int core = 0; core < options.cores; ++core) {
        CacheGeometry geometry = options.l1;
        geometry.seed += static_cast<std::uint64_t>(core); // so that random victims differ between the cores
        levels_.emplace_back(geometry, footprint, options.miss_kinds);
    }
    if (has_l2_) {
        levels_.emplace_back(options.l2, footprint, options.miss_kinds);
    }
    last_level_ = levels_.size();
}

CacheTree::~CacheTree() = default;
CacheTree::CacheTree(CacheTree&&) noexcept = default;
CacheTree& CacheTree::operator=(CacheTree&&) noexcept = default;

void CacheTree::look_up(std::size_t cache, const LineList& granules, std::uint8_t* missed)
{
    Level& level = levels_[cache];
    CacheCounts& counts = counts_[cache];
    if (missed == nullptr && level.shadow) {
        missed = missed_.data();
    }
    const LookupCount count = std::visit([&](auto& tags) { return level.look_up(tags, granules, missed); }, level.tags);
    counts.lookups += static_cast<std::int64_t>(granules.deltas.size());
    counts.misses += count.misses;
    counts.evictions += count.evictions;
    if (!level.shadow) {
        counts.ideal_misses += count.misses;
        return;
    }
    std::uint8_t* const ideal = ideal_missed_.data();
    (void)level.look_up(*level.shadow, granules, ideal);
    for (std::size_t i = 0; i < granules.deltas.size(); ++i) {
        counts.ideal_misses += missed[i] & ideal[i];
    }
}

void CacheTree::make_room(std::size_t granules)
{
    if (missed_.size() < granules) {
        missed_.resize(granules);
        missed_in_l2_.resize(granules);
        ideal_missed_.resize(granules);
        l2_granules_.resize(granules);
    }
}

void CacheTree::access(int core, const LineList& granules, std::int64_t texel_reads)
{
    make_room(granules.deltas.size());
    const auto cache = static_cast<std::size_t>(core);
    counts_[cache].texel_reads += texel_reads;
    look_up(cache, granules, has_l2_ ? missed_.data() : nullptr);
    if (has_l2_) {
        look_up_missed(granules, nullptr);
    }
}

void CacheTree::access(int core, const LineList& granules, std::int64_t texel_reads, std::span<FoundIn> found)
{
    make_room(granules.deltas.size());
    const auto cache = static_cast<std::size_t>(core);
    counts_[cache].texel_reads += texel_reads;
    look_up(cache, granules, missed_.data());
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = missed_[i] != 0 ? FoundIn::memory : FoundIn::l1;
    }
    if (has_l2_) {
        look_up_missed(granules, missed_in_l2_.data());
        const std::uint8_t* missed = missed_in_l2_.data();
        for (FoundIn& at : found) {
            if (at != FoundIn::l1) {
                at = *missed++ != 0 ? FoundIn::memory : FoundIn::l2;
            }
        }
    }
}

void CacheTree::access(int core, const LineList& granules, std::int64_t texel_reads, std::span<LookupDetail> details)
{
    make_room(granules.deltas.size());
    Level& level = levels_[static_cast<std::size_t>(core)];
    CacheCounts& counts = counts_[static_cast<std::size_t>(core)];
    counts.texel_reads += texel_reads;
    counts.lookups += static_cast<std::int64_t>(granules.deltas.size());
    std::visit(
        [&](auto& tags) {
            for (std::size_t i = 0; i < granules.deltas.size(); ++i) {
                const Level::Place at = level.place(granules.first + granules.deltas[i]);
                const FillOutcome found = tags.access(at.line, at.sector_mask);
                const bool ideal = level.shadow ? !level.shadow->access(at.line, at.sector_mask).sector_present
                                                : !found.sector_present;
                details[i] = {!found.sector_present, !found.sector_present && ideal, found.evicted_line};
                missed_[i] = found.sector_present ? 0 : 1;
                counts.misses += details[i].missed ? 1 : 0;
                counts.ideal_misses += details[i].ideal_missed ? 1 : 0;
                counts.evictions += found.evicted_line >= 0 ? 1 : 0;
            }
        },
        level.tags);
    if (has_l2_) {
        look_up_missed(granules, nullptr);
    }
}

void CacheTree::look_up_missed(const LineList& granules, std::uint8_t* missed)
{
    std::size_t misses = 0;
    for (std::size_t i = 0; i < granules.deltas.size(); ++i) {
        l2_granules_[misses] = static_cast<std::int32_t>(to_l2_(granules.first + granules.deltas[i]));
        misses += missed_[i];
    }
    if (misses > 0) {
        look_up(levels_.size() - 1, {0, {l2_granules_.data(), misses}, distinct_in_l2_}, missed);
    }
}

void CacheTree::add(const std::vector<CacheCounts>& from, const std::vector<CacheCounts>& to, std::int64_t factor)
{
    for (std::size_t cache = 0; cache < counts_.size(); ++cache) {
        counts_[cache] += (to[cache] - from[cache]) * factor;
    }
}

CacheTree::Snapshot CacheTree::save() const
{
    Snapshot snapshot;
    for (std::size_t cache = first_level_; cache < last_level_; ++cache) {
        const Level& level = levels_[cache];
        snapshot.tags.push_back(sim::save(level.tags));
        snapshot.shadows.push_back(level.shadow ? std::optional(level.shadow->save()) : std::nullopt);
    }
    return snapshot;
}

void CacheTree::restore(const Snapshot& snapshot)
{
    for (std::size_t cache = first_level_; cache < last_level_; ++cache) {
        Level& level = levels_[cache];
        sim::restore(level.tags, snapshot.tags[cache - first_level_]);
        if (level.shadow) {
            level.shadow->restore(*snapshot.shadows[cache - first_level_]);
        }
    }
}

bool CacheTree::turns_sets(const MemoryShift& shift) const
{
    return std::all_of(levels_.begin(), levels_.end(), [&](const Level& level) {
        return SetOfLine(level.geometry.sets(), level.geometry.index == SetIndex::xor_folded)
            .rotation(shift.lines_of(level.geometry.line))
            .has_value();
    });
}

CacheTree::Comparison CacheTree::is_shifted(const Snapshot& snapshot, const MemoryShift& shift) const
{
    Comparison comparison;
    for (std::size_t cache = first_level_; cache < last_level_; ++cache) {
        const Level& level = levels_[cache];
        const LineShift lines = shift.lines_of(level.geometry.line);
        comparison.compared += sim::snapshot_size(level.tags);
        if (!sim::is_shifted(level.tags, snapshot.tags[cache - first_level_], lines)) {
            return comparison;
        }
    }
    for (std::size_t cache = first_level_; cache < last_level_; ++cache) {
        const Level& level = levels_[cache];
        if (level.shadow) {
            comparison.compared += level.shadow->snapshot_size();
            if (!level.shadow->is_shifted(*snapshot.shadows[cache - first_level_],
                                          shift.lines_of(level.geometry.line))) {
                return comparison;
            }
        }
    }
    comparison.equal = true;
    return comparison;
}

void CacheTree::shift(const MemoryShift& shift)
{
    for (std::size_t cache = first_level_; cache < last_level_; ++cache) {
        Level& level = levels_[cache];
        const LineShift lines = shift.lines_of(level.geometry.line);
        sim::shift(level.tags, lines);
        if (level.shadow) {
            level.shadow->shift(lines);
        }
    }
}

std::int64_t CacheTree::snapshot_size() const
{
    std::int64_t size = 0;
    for (std::size_t cache = first_level_; cache < last_level_; ++cache) {
        const Level& level = levels_[cache];
        size += sim::snapshot_size(level.tags) + (level.shadow ? level.shadow->snapshot_size() : 0);
    }
    return size;
}

} // namespace texelscope::sim
