// A cache that counts. Beside its tags it may keep an ideal cache of the same size, fully
// associative with LRU, and so tells apart (Hill and Smith 1989): compulsory misses, of granules
// never touched before; capacity misses, which the ideal cache has as well; and conflict misses,
// the rest.

#include "sim/cache/cache.hpp"

#include <algorithm>

namespace texelscope::sim {
namespace {

/// Upper bound (exclusive) of the line numbers in a memory of that size.
std::int64_t line_count(const CacheGeometry& geometry, Bytes footprint)
{
    return footprint.value / geometry.line.value + 1;
}

} // namespace

Cache::Cache(const CacheGeometry& geometry, Bytes footprint, bool miss_kinds)
    : geometry_((validate(geometry, "cache"), geometry)), miss_kinds_(miss_kinds),
      tags_(make_tag_store(geometry, line_count(geometry, footprint))),
      line_of_(geometry.granule().value, geometry.line.value),
      sectors_per_line_(geometry.line / geometry.granule())
{
    // A fully associative LRU cache is its own ideal.
    if (miss_kinds && !geometry.is_fully_associative_lru()) {
        ideal_.emplace(geometry.lines(), line_count(geometry, footprint),
                       geometry.sector.value > 0);
    }
}

LookupOutcome Cache::lookup(std::int64_t address)
{
    constexpr std::int32_t this_one[]{0};
    const std::int64_t granule = address / geometry_.granule().value;
    LookupDetail detail;
    look_up({granule, this_one}, {&detail, 1});
    LookupOutcome outcome;
    if (!detail.missed) {
        return outcome;
    }
    outcome.miss = !touched_.contains(granule) ? MissKind::compulsory
                   : detail.ideal_missed       ? MissKind::capacity
                                               : MissKind::conflict;
    touched_.insert(granule);
    if (detail.evicted_line >= 0) {
        outcome.evicted = detail.evicted_line * geometry_.line.value;
    }
    return outcome;
}

bool Cache::contains(std::int64_t address) const
{
    const Place at = place(address / geometry_.granule().value);
    return std::visit([&](const auto& tags) { return tags.contains(at.line, at.sector_mask); },
                      tags_);
}

template <class Store>
LookupCount Cache::look_up_in(Store& store, const LineList& granules, std::uint8_t* missed) const
{
    if (sectors_per_line_ == 1) {
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

void Cache::look_up(const LineList& granules, std::uint8_t* missed)
{
    const std::size_t size = granules.deltas.size();
    if (ideal_ && ideal_missed_.size() < size) {
        missed_.resize(size);
        ideal_missed_.resize(size);
    }
    if (ideal_ && missed == nullptr) {
        missed = missed_.data();
    }
    const LookupCount count =
        std::visit([&](auto& tags) { return look_up_in(tags, granules, missed); }, tags_);
    counts_.lookups += static_cast<std::int64_t>(size);
    counts_.misses += count.misses;
    counts_.evictions += count.evictions;
    if (!ideal_) {
        counts_.ideal_misses += count.misses;
        return;
    }
    std::uint8_t* const ideal_missed = ideal_missed_.data();
    // The ideal cache is looked up in the same order. A hit in the real cache is no miss of either
    // kind, hence the `&`.
    (void)look_up_in(*ideal_, granules, ideal_missed);
    for (std::size_t i = 0; i < size; ++i) {
        counts_.ideal_misses += missed[i] & ideal_missed[i];
    }
}

void Cache::look_up(const LineList& granules, std::span<LookupDetail> details)
{
    std::visit(
        [&](auto& tags) {
            for (std::size_t i = 0; i < details.size(); ++i) {
                const Place at = place(granules.first + granules.deltas[i]);
                const FillOutcome found = tags.access(at.line, at.sector_mask);
                const FillOutcome ideal = ideal_ ? ideal_->access(at.line, at.sector_mask) : found;
                details[i] = {!found.sector_present, !found.sector_present && !ideal.sector_present,
                              found.evicted_line};
                counts_.misses += details[i].missed ? 1 : 0;
                counts_.ideal_misses += details[i].ideal_missed ? 1 : 0;
                counts_.evictions += found.evicted_line >= 0 ? 1 : 0;
            }
        },
        tags_);
    counts_.lookups += static_cast<std::int64_t>(details.size());
}

CacheStatistics Cache::statistics(std::int64_t compulsory) const
{
    CacheStatistics statistics;
    statistics.texel_reads = counts_.texel_reads;
    statistics.lookups = counts_.lookups;
    statistics.hits = counts_.lookups - counts_.misses;
    // Compulsory misses are counted from outside, as distinct granules, which also works where
    // jumps left lookups out.
    if (miss_kinds_) {
        statistics.compulsory = compulsory;
        statistics.capacity = counts_.ideal_misses - compulsory;
        statistics.conflict = counts_.misses - counts_.ideal_misses;
    } else {
        statistics.unclassified = counts_.misses;
    }
    statistics.evictions = counts_.evictions;
    statistics.bytes_filled = geometry_.granule() * counts_.misses;
    return statistics;
}

Cache::Snapshot Cache::save() const
{
    return {std::visit([](const auto& tags) -> TagSnapshot { return tags.save(); }, tags_),
            ideal_ ? std::optional(ideal_->save()) : std::nullopt};
}

void Cache::restore(const Snapshot& snapshot)
{
    std::visit(
        [&](auto& tags) {
            tags.restore(
                std::get<typename std::remove_cvref_t<decltype(tags)>::Snapshot>(snapshot.tags));
        },
        tags_);
    if (ideal_) {
        ideal_->restore(*snapshot.ideal);
    }
}

// Policies whose state a rotation does not carry over (random) rule out jumps.
bool Cache::rotates_sets(const LineShift& shift) const
{
    return replacement_row(geometry_.replacement).translatable &&
           SetOfLine(geometry_.sets(), geometry_.index == SetIndex::xor_folded)
               .rotation(shift)
               .has_value();
}

bool Cache::tags_are_shifted(const Snapshot& snapshot, const LineShift& shift) const
{
    return std::visit(
        [&](const auto& tags) {
            using Tags = std::remove_cvref_t<decltype(tags)>;
            return tags.is_shifted(std::get<typename Tags::Snapshot>(snapshot.tags), shift);
        },
        tags_);
}

bool Cache::ideal_is_shifted(const Snapshot& snapshot, const LineShift& shift) const
{
    return !ideal_ || ideal_->is_shifted(*snapshot.ideal, shift);
}

void Cache::shift(const LineShift& shift)
{
    std::visit([&](auto& tags) { tags.shift(shift); }, tags_);
    if (ideal_) {
        ideal_->shift(shift);
    }
}

std::int64_t Cache::tags_size() const
{
    return std::visit([](const auto& tags) { return tags.snapshot_size(); }, tags_);
}

std::int64_t Cache::ideal_size() const
{
    return ideal_ ? ideal_->snapshot_size() : 0;
}

} // namespace texelscope::sim
