#include "sim/cache/cache_geometry.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <bit>

namespace texelscope::sim {

void validate(const CacheGeometry& g, const std::string& prefix)
{
    const auto refuse = [&](const std::string& key, const std::string& what,
                            const std::string& remedy) {
        throw bad_input(what, prefix + "." + key, remedy);
    };
    if (g.line.value < 1) {
        refuse("line", fmt::format("{} B is not a line size", g.line.value), "use 1 B or more");
    }
    if (g.capacity.value < g.line.value || g.capacity.value % g.line.value != 0) {
        refuse("capacity",
               fmt::format("{} B is not a whole number of lines of {} B", g.capacity.value,
                           g.line.value),
               "use a multiple of the line");
    }
    constexpr std::int64_t most_lines = 1 << 26;
    if (g.lines() > most_lines) {
        refuse("capacity", fmt::format("{} lines are more than {}", g.lines(), most_lines),
               "use a smaller capacity");
    }
    if (g.ways < 0 || g.lines() % g.ways_per_set() != 0) {
        refuse("ways",
               fmt::format("{} lines cannot be divided into sets of {} ways", g.lines(), g.ways),
               "use a divisor, or 0 for fully associative");
    }
    if (g.sector.value < 0 ||
        (g.sector.value > 0 && (g.line.value % g.sector.value != 0 || g.line / g.sector > 64))) {
        refuse(
            "sector",
            fmt::format("a line of {} B cannot have sectors of {} B", g.line.value, g.sector.value),
            "use a divisor that makes at most 64 sectors, or 0 for none");
    }
    const ReplacementRow& policy = replacement_row(g.replacement);
    if (policy.power_of_two_ways &&
        !std::has_single_bit(static_cast<std::uint64_t>(g.ways_per_set()))) {
        refuse("ways",
               fmt::format("{} needs ways that are a power of two, not {}", policy.name,
                           g.ways_per_set()),
               "change the ways or the replacement");
    }
    if (g.index == SetIndex::xor_folded &&
        !std::has_single_bit(static_cast<std::uint64_t>(g.sets()))) {
        refuse("index",
               fmt::format("the xor-folded index needs sets that are a power of two, not {}",
                           g.sets()),
               "change the geometry or use modulo");
    }
}

} // namespace texelscope::sim
