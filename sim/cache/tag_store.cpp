#include "sim/cache/tag_store.hpp"

namespace texelscope::sim {

TagStore make_tag_store(const CacheGeometry& g, std::int64_t line_count)
{
    const SetOfLine set_of(g.sets(), g.index == SetIndex::xor_folded);
    // In a single set each lookup waits for the one before to have reordered the tags; with many ways that is slower than
    // a table of places.
    constexpr int most_ways_of_one_set = 8;
    if (g.replacement == ReplacementKind::lru && g.sets() == 1 && g.ways_per_set() > most_ways_of_one_set) {
        return LruStack(g.lines(), line_count, g.sector.value > 0);
    }
    if (g.replacement == ReplacementKind::lru && g.ways_per_set() <= LruSets::widest_ways) {
        return LruSets(set_of, g.ways_per_set(), g.sector.value > 0);
    }
    return SetAssociative(set_of, g.ways_per_set(), make_replacement(g.replacement, g.sets(), g.ways_per_set(), g.seed),
                          line_count);
}

} // namespace texelscope::sim
