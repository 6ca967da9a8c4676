// A cache of sets with any replacement policy and sectors, for whatever the faster LruSets and
// LruStack cannot do. Ways of a set are filled in order, then replaced.

#include "sim/cache/set_associative.hpp"

namespace texelscope::sim {
namespace {

/// Most ways of a set that is searched; for more, a table from line to way is faster.
constexpr int widest_scan = 16;

} // namespace

TagStore make_tag_store(const CacheGeometry& g, std::int64_t line_count)
{
    const SetOfLine set_of(g.sets(), g.index == SetIndex::xor_folded);
    // In a single set, each lookup has to wait until the one before has reordered the tags. With
    // many ways this is slower than the tables of LruStack.
    constexpr int most_ways_of_one_set = 8;
    if (g.replacement == ReplacementKind::lru && g.sets() == 1 &&
        g.ways_per_set() > most_ways_of_one_set) {
        return LruStack(g.lines(), line_count, g.sector.value > 0);
    }
    if (g.replacement == ReplacementKind::lru && g.ways_per_set() <= LruSets::widest_ways) {
        return LruSets(set_of, g.ways_per_set(), g.sector.value > 0);
    }
    return SetAssociative(set_of, g.ways_per_set(),
                          replacement_row(g.replacement).make(g.sets(), g.ways_per_set(), g.seed),
                          line_count);
}

SetAssociative::SetAssociative(SetOfLine set_of, int ways, ReplacementPolicy policy,
                               std::int64_t line_count)
    : set_of_(set_of), ways_(ways), policy_(std::move(policy)),
      lines_(static_cast<std::size_t>(set_of.sets() * ways)),
      used_(static_cast<std::size_t>(set_of.sets()), 0),
      way_of_line_(ways > widest_scan ? static_cast<std::size_t>(line_count) : 0)
{}

int SetAssociative::find(std::int64_t set, std::int64_t line) const
{
    if (!way_of_line_.empty()) {
        return way_of_line_[static_cast<std::size_t>(line)] - 1;
    }
    const auto first = static_cast<std::size_t>(set * ways_);
    const int used = used_[static_cast<std::size_t>(set)];
    for (int way = 0; way < used; ++way) {
        if (lines_[first + static_cast<std::size_t>(way)].line == line) {
            return way;
        }
    }
    return -1;
}

bool SetAssociative::contains(std::int64_t line, std::uint64_t sector_mask) const
{
    const std::int64_t set = set_of_(line);
    const int way = find(set, line);
    return way >= 0 && (lines_[static_cast<std::size_t>(set * ways_ + way)].sectors &
                        sector_mask) == sector_mask;
}

FillOutcome SetAssociative::access(std::int64_t line, std::uint64_t sector_mask)
{
    const std::int64_t set = set_of_(line);
    FillOutcome outcome;
    if (const int way = find(set, line); way >= 0) {
        Way& entry = lines_[static_cast<std::size_t>(set * ways_ + way)];
        outcome.line_present = true;
        outcome.sector_present = (entry.sectors & sector_mask) == sector_mask;
        entry.sectors |= sector_mask;
        std::visit([&](auto& policy) { policy.hit(set, way); }, policy_);
        return outcome;
    }
    int& used = used_[static_cast<std::size_t>(set)];
    // Empty ways are filled before anything is replaced.
    const int way = used < ways_
                        ? used++
                        : std::visit([&](auto& policy) { return policy.victim(set); }, policy_);
    Way& entry = lines_[static_cast<std::size_t>(set * ways_ + way)];
    outcome.evicted_line = entry.line;
    if (!way_of_line_.empty()) {
        if (entry.line >= 0) {
            way_of_line_[static_cast<std::size_t>(entry.line)] = 0;
        }
        way_of_line_[static_cast<std::size_t>(line)] = way + 1;
    }
    entry = {line, sector_mask};
    std::visit([&](auto& policy) { policy.filled(set, way); }, policy_);
    return outcome;
}

LookupCount SetAssociative::access_all(const LineList& lines, std::uint8_t* missed)
{
    return access_each(*this, lines, missed);
}

void SetAssociative::restore(const Snapshot& snapshot)
{
    if (!way_of_line_.empty()) {
        for (const Way& way : lines_) {
            if (way.line >= 0) {
                way_of_line_[static_cast<std::size_t>(way.line)] = 0;
            }
        }
        for (std::size_t i = 0; i < snapshot.ways.size(); ++i) {
            if (snapshot.ways[i].line >= 0) {
                way_of_line_[static_cast<std::size_t>(snapshot.ways[i].line)] =
                    static_cast<std::int32_t>(i % static_cast<std::size_t>(ways_)) + 1;
            }
        }
    }
    lines_ = snapshot.ways;
    used_ = snapshot.used;
    policy_ = snapshot.policy;
}

bool SetAssociative::is_shifted(const Snapshot& snapshot, const LineShift& shift) const
{
    const auto rotation = set_of_.rotation(shift);
    if (!rotation) {
        return false;
    }
    const std::int64_t sets = set_of_.sets();
    for (std::int64_t set = 0; set < sets; ++set) {
        const std::int64_t rotated = (set + *rotation) % sets;
        if (snapshot.used[static_cast<std::size_t>(set)] !=
            used_[static_cast<std::size_t>(rotated)]) {
            return false;
        }
        for (std::int64_t way = 0; way < ways_; ++way) {
            Way expected = snapshot.ways[static_cast<std::size_t>(set * ways_ + way)];
            expected.line = expected.line < 0 ? expected.line : shift(expected.line);
            if (expected != lines_[static_cast<std::size_t>(rotated * ways_ + way)]) {
                return false;
            }
        }
    }
    // A policy that cannot be translated never counts as returned.
    return std::visit(
        [&](const auto& policy) {
            using Policy = std::remove_cvref_t<decltype(policy)>;
            if constexpr (TranslatablePolicy<Policy>) {
                return policy.is_rotated(std::get<Policy>(snapshot.policy), sets, *rotation);
            }
            return false;
        },
        policy_);
}

void SetAssociative::shift(const LineShift& shift)
{
    const std::int64_t rotation = set_of_.rotation(shift).value();
    const std::int64_t sets = set_of_.sets();
    const Snapshot old = save();
    for (const Way& way : old.ways) {
        if (!way_of_line_.empty() && way.line >= 0) {
            way_of_line_[static_cast<std::size_t>(way.line)] = 0;
        }
    }
    for (std::int64_t set = 0; set < sets; ++set) {
        const std::int64_t rotated = (set + rotation) % sets;
        used_[static_cast<std::size_t>(rotated)] = old.used[static_cast<std::size_t>(set)];
        for (int way = 0; way < ways_; ++way) {
            Way& entry = lines_[static_cast<std::size_t>(rotated * ways_ + way)];
            entry = old.ways[static_cast<std::size_t>(set * ways_ + way)];
            if (entry.line >= 0) {
                entry.line = shift(entry.line);
                if (!way_of_line_.empty()) {
                    way_of_line_[static_cast<std::size_t>(entry.line)] = way + 1;
                }
            }
        }
    }
    std::visit(
        [&](auto& policy) {
            if constexpr (TranslatablePolicy<std::remove_cvref_t<decltype(policy)>>) {
                policy.rotate(sets, rotation);
            }
        },
        policy_);
}

} // namespace texelscope::sim
