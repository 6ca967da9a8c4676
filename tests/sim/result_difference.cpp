#include "tests/sim/result_difference.hpp"

#include <algorithm>

namespace texelscope::test {
using namespace sim;

namespace {

std::string one(const std::string& name, std::int64_t want, std::int64_t got)
{
    if (want == got) {
        return "";
    }
    return "  " + name + ": expected " + std::to_string(want) + ", got " + std::to_string(got) +
           "\n";
}

std::string one(const std::string& name, std::size_t want, std::size_t got)
{
    return one(name, static_cast<std::int64_t>(want), static_cast<std::int64_t>(got));
}

} // namespace

std::string statistics_difference(const std::string& name, const CacheStatistics& want,
                                  const CacheStatistics& got)
{
    return one(name + ".texel_reads", want.texel_reads, got.texel_reads) +
           one(name + ".lookups", want.lookups, got.lookups) +
           one(name + ".hits", want.hits, got.hits) +
           one(name + ".compulsory", want.compulsory, got.compulsory) +
           one(name + ".capacity", want.capacity, got.capacity) +
           one(name + ".conflict", want.conflict, got.conflict) +
           one(name + ".evictions", want.evictions, got.evictions) +
           one(name + ".bytes_filled", want.bytes_filled.value, got.bytes_filled.value);
}

std::string result_difference(const SimulationResult& want, const SimulationResult& got)
{
    constexpr Cycles none{-1};
    std::string text =
        one("groups", want.groups, got.groups) + one("warps", want.warps, got.warps) +
        one("steps", want.steps, got.steps) +
        one("border_reads", want.border_reads, got.border_reads) +
        one("occupancy", std::int64_t{want.occupancy.warps}, std::int64_t{got.occupancy.warps}) +
        one("occupancy_groups", want.occupancy_groups, got.occupancy_groups) +
        statistics_difference("l1", want.l1, got.l1) +
        one("levels behind", want.behind.size(), got.behind.size()) +
        one("memory.bytes", want.memory_bytes.value, got.memory_bytes.value) +
        one("cycles (-1: none)", want.cycles.value_or(none).value,
            got.cycles.value_or(none).value) +
        one("cores", want.cores.size(), got.cores.size());
    for (const LevelStatistics& level : want.behind) {
        text += statistics_difference(level.name, level.counts, got.level(level.name));
    }
    for (std::size_t i = 0; i < std::min(want.cores.size(), got.cores.size()); ++i) {
        const std::string core = "cores[" + std::to_string(i) + "]";
        const StallStatistics& s = want.cores[i].stalls;
        const StallStatistics& t = got.cores[i].stalls;
        text +=
            one(core + ".warps", want.cores[i].warps, got.cores[i].warps) +
            one(core + ".occupancy_groups", want.cores[i].occupancy_groups,
                got.cores[i].occupancy_groups) +
            statistics_difference(core + ".l1", want.cores[i].l1, got.cores[i].l1) +
            one(core + ".cycles", want.cores[i].cycles.value, got.cores[i].cycles.value) +
            one(core + ".stalls.issued", s.issued, t.issued) +
            one(core + ".stalls.waiting_for_data", s.waiting_for_data, t.waiting_for_data) +
            one(core + ".stalls.alu_busy", s.alu_busy, t.alu_busy) +
            one(core + ".stalls.texture_unit", s.texture_unit, t.texture_unit) +
            one(core + ".stalls.outstanding_misses", s.outstanding_misses, t.outstanding_misses) +
            one(core + ".stalls.merge_slots", s.merge_slots, t.merge_slots) +
            one(core + ".stalls.latency_fifo", s.latency_fifo, t.latency_fifo) +
            one(core + ".stalls.idle", s.idle, t.idle);
        const ReservationFailures& e = want.cores[i].reservation_failures;
        const ReservationFailures& f = got.cores[i].reservation_failures;
        text += one(core + ".reservation_failures.no_entry", e.no_entry, f.no_entry) +
                one(core + ".reservation_failures.no_merge_slot", e.no_merge_slot, f.no_merge_slot);
    }
    return text;
}

} // namespace texelscope::test
