#include "sim/cache.hpp"

#include "sim/lru_stack.hpp"
#include "sim/set_associative.hpp"
#include "traces/error.hpp"

#include <fmt/format.h>

#include <bit>
#include <vector>

namespace texelscope {
namespace {

bool power_of_two(std::int64_t n)
{
    return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

} // namespace

void validate(const CacheGeometry& g, const std::string& prefix)
{
    const auto refuse = [&](const std::string& key, const std::string& what, const std::string& remedy) {
        throw bad_input(what, prefix + "." + key, remedy);
    };
    if (g.line.value < 1) {
        refuse("line", fmt::format("{} B is not a line size", g.line.value), "use 1 B or more");
    }
    if (g.capacity.value < g.line.value || g.capacity.value % g.line.value != 0) {
        refuse("capacity", fmt::format("{} B is not a whole number of lines of {} B", g.capacity.value, g.line.value),
               "use a multiple of the line");
    }
    constexpr std::int64_t most_lines = 1 << 26;
    if (g.lines() > most_lines) {
        refuse("capacity", fmt::format("{} lines are more than {}", g.lines(), most_lines), "use a smaller capacity");
    }
    if (g.ways < 0 || g.lines() % g.ways_per_set() != 0) {
        refuse("ways", fmt::format("{} lines cannot be divided into sets of {} ways", g.lines(), g.ways),
               "use a divisor, or 0 for fully associative");
    }
    if (g.sector.value < 0 || (g.sector.value > 0 && (g.line.value % g.sector.value != 0 || g.line / g.sector > 64))) {
        refuse("sector", fmt::format("a line of {} B cannot have sectors of {} B", g.line.value, g.sector.value),
               "use a divisor that makes at most 64 sectors, or 0 for none");
    }
    if (g.replacement == ReplacementKind::plru && !power_of_two(g.ways_per_set())) {
        refuse("ways", fmt::format("tree pseudo-LRU needs ways that are a power of two, not {}", g.ways_per_set()),
               "change the ways or the replacement");
    }
    if (g.index == SetIndex::xor_folded && !power_of_two(g.sets())) {
        refuse("index", fmt::format("the xor-folded index needs sets that are a power of two, not {}", g.sets()),
               "change the geometry or use modulo");
    }
}

class Cache::Impl {
public:
    Impl(const CacheGeometry& g, Bytes footprint)
        : geometry((validate(g, "cache"), g)), line_count(footprint.value / g.line.value + 1),
          fully_associative_lru(g.sets() == 1 && g.replacement == ReplacementKind::lru), recency(g.lines(), line_count),
          touched(static_cast<std::size_t>(footprint.value / g.granule().value + 1), false)
    {
        if (!fully_associative_lru) {
            sets.emplace_back(g.sets(), g.ways_per_set(),
                              make_replacement(g.replacement, g.sets(), g.ways_per_set(), g.seed),
                              g.index == SetIndex::xor_folded, line_count);
        }
    }

    [[nodiscard]] std::uint64_t sector_mask(std::int64_t address) const
    {
        return geometry.sector.value == 0 ? 1
                                          : std::uint64_t{1} << (address % geometry.line.value / geometry.sector.value);
    }

    CacheGeometry geometry;
    std::int64_t line_count;
    bool fully_associative_lru;
    CacheStatistics statistics;
    LruStack recency; ///< the cache itself where it is fully associative LRU, else its shadow for the classification
    std::vector<SetAssociative> sets; ///< one, or none where `recency` is the cache
    std::vector<bool> touched;        ///< by granule: was it ever filled
};

Cache::Cache(const CacheGeometry& geometry, Bytes footprint) : impl_(std::make_unique<Impl>(geometry, footprint)) {}
Cache::~Cache() = default;
Cache::Cache(Cache&&) noexcept = default;
Cache& Cache::operator=(Cache&&) noexcept = default;

LookupOutcome Cache::lookup(std::int64_t address)
{
    Impl& c = *impl_;
    const std::int64_t line = address / c.geometry.line.value;
    const std::uint64_t sector = c.sector_mask(address);
    const FillOutcome ideal = c.recency.access(line, sector);
    const FillOutcome fill = c.fully_associative_lru ? ideal : c.sets.front().access(line, sector);

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
    return impl_->fully_associative_lru ? impl_->recency.contains(line, sector)
                                        : impl_->sets.front().contains(line, sector);
}

} // namespace texelscope
