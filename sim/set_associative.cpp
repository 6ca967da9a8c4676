#include "sim/set_associative.hpp"

#include <bit>

namespace texelscope {
namespace {

constexpr int widest_scan = 16; ///< beyond that a table from line to way is faster than a scan

} // namespace

SetAssociative::SetAssociative(std::int64_t sets, int ways, ReplacementPolicy policy, bool xor_index,
                               std::int64_t line_count)
    : sets_(sets), ways_(ways), xor_index_(xor_index), policy_(std::move(policy)),
      lines_(static_cast<std::size_t>(sets * ways)), used_(static_cast<std::size_t>(sets), 0)
{
    if (ways > widest_scan) {
        way_of_line_.assign(static_cast<std::size_t>(line_count), -1);
    }
}

std::int64_t SetAssociative::set_of(std::int64_t line) const
{
    if (!xor_index_) {
        return line % sets_;
    }
    const int bits = std::countr_zero(static_cast<std::uint64_t>(sets_));
    std::int64_t set = 0;
    for (; bits > 0 && line > 0; line >>= bits) {
        set ^= line & (sets_ - 1);
    }
    return set;
}

int SetAssociative::find(std::int64_t set, std::int64_t line) const
{
    if (!way_of_line_.empty()) {
        return way_of_line_[static_cast<std::size_t>(line)];
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
    const std::int64_t set = set_of(line);
    const int way = find(set, line);
    return way >= 0 && (lines_[static_cast<std::size_t>(set * ways_ + way)].sectors & sector_mask) == sector_mask;
}

FillOutcome SetAssociative::access(std::int64_t line, std::uint64_t sector_mask)
{
    const std::int64_t set = set_of(line);
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
    const int way = used < ways_ ? used++ : std::visit([&](auto& policy) { return policy.victim(set); }, policy_);
    Way& entry = lines_[static_cast<std::size_t>(set * ways_ + way)];
    outcome.evicted_line = entry.line;
    if (!way_of_line_.empty()) {
        if (entry.line >= 0) {
            way_of_line_[static_cast<std::size_t>(entry.line)] = -1;
        }
        way_of_line_[static_cast<std::size_t>(line)] = way;
    }
    entry = {line, sector_mask};
    std::visit([&](auto& policy) { policy.filled(set, way); }, policy_);
    return outcome;
}

} // namespace texelscope
