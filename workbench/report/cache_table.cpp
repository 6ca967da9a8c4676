#include "workbench/report/cache_table.hpp"

namespace texelscope::workbench::report {

ResultTable cache_table(const SimulationResult& result)
{
    ResultTable table{{"cache", "lookups", "hits", "misses", "miss rate", "compulsory", "capacity",
                       "conflict", "evictions", "bytes filled"},
                      {}};
    const auto add = [&](const std::string& name, const CacheStatistics& cache) {
        const auto kind = [&](std::int64_t count) {
            return cache.kinds_known() ? ResultTable::Value(count)
                                       : ResultTable::Value(std::string());
        };
        table.rows.push_back({name, cache.lookups, cache.hits, cache.misses(), cache.miss_rate(),
                              kind(cache.compulsory), kind(cache.capacity), kind(cache.conflict),
                              cache.evictions, cache.bytes_filled.value});
    };
    add("L1", result.l1);
    for (const LevelStatistics& level : result.behind) {
        add(level.name, level.counts);
    }
    return table;
}

} // namespace texelscope::workbench::report
