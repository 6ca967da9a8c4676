#include "sim/lru_stack.hpp"

#include <algorithm>

namespace texelscope {

LruStack::LruStack(std::int64_t capacity, std::int64_t line_count)
    : slots_(static_cast<std::size_t>(capacity)), next_slot_(static_cast<std::size_t>(line_count))
{}

bool LruStack::contains(std::int64_t line, std::uint64_t sector_mask) const
{
    const std::int32_t slot = find(line);
    return slot >= 0 && (slots_[static_cast<std::size_t>(slot)].sectors & sector_mask) == sector_mask;
}

FillOutcome LruStack::access(std::int64_t line, std::uint64_t sector_mask)
{
    FillOutcome outcome;
    std::int32_t slot = find(line);
    outcome.line_present = slot >= 0;
    if (outcome.line_present) {
        Slot& entry = slots_[static_cast<std::size_t>(slot)];
        outcome.sector_present = (entry.sectors & sector_mask) == sector_mask;
        entry.sectors |= sector_mask;
        if (slot != newest_) {
            unlink(slot);
            push_front(slot);
        }
        return outcome;
    }
    if (used_ < static_cast<std::int32_t>(slots_.size())) {
        slot = used_++;
    } else {
        slot = oldest_;
        outcome.evicted_line = slots_[static_cast<std::size_t>(slot)].line;
        next_slot_[static_cast<std::size_t>(outcome.evicted_line)] = 0;
        unlink(slot);
    }
    slots_[static_cast<std::size_t>(slot)].line = line;
    slots_[static_cast<std::size_t>(slot)].sectors = sector_mask;
    next_slot_[static_cast<std::size_t>(line)] = slot + 1;
    push_front(slot);
    return outcome;
}

LookupCount LruStack::access_all(const LineList& lines, std::uint8_t* missed)
{
    const std::size_t capacity = slots_.size();
    const std::size_t size = lines.deltas.size();
    if (!lines.distinct || size <= 2 * capacity) {
        return access_each(*this, lines, missed);
    }
    // After as many distinct lines as the cache holds, each further one misses, and the last of them remain.
    const auto part = [&](std::size_t begin, std::size_t count) {
        return access_each(*this, {lines.first, lines.deltas.subspan(begin, count), true},
                           missed == nullptr ? nullptr : missed + begin);
    };
    const std::size_t last = size - capacity;
    LookupCount count = part(0, capacity);
    if (missed != nullptr) {
        std::fill(missed + capacity, missed + last, std::uint8_t{1});
    }
    const LookupCount rest = part(last, capacity);
    const auto between = static_cast<std::int64_t>(last - capacity);
    count.misses += between + rest.misses;
    count.evictions += between + rest.evictions;
    return count;
}

LruStack::Snapshot LruStack::save() const
{
    Snapshot snapshot;
    snapshot.lines.reserve(static_cast<std::size_t>(used_));
    snapshot.sectors.reserve(static_cast<std::size_t>(used_));
    for (std::int32_t slot = newest_; slot >= 0; slot = slots_[static_cast<std::size_t>(slot)].older) {
        snapshot.lines.push_back(slots_[static_cast<std::size_t>(slot)].line);
        snapshot.sectors.push_back(slots_[static_cast<std::size_t>(slot)].sectors);
    }
    return snapshot;
}

bool LruStack::is_shifted(const Snapshot& snapshot, const LineShift& shift) const
{
    if (snapshot.lines.size() != static_cast<std::size_t>(used_)) {
        return false;
    }
    std::size_t i = 0;
    for (std::int32_t slot = newest_; slot >= 0; slot = slots_[static_cast<std::size_t>(slot)].older) {
        const Slot& entry = slots_[static_cast<std::size_t>(slot)];
        if (entry.line != shift(snapshot.lines[i]) || entry.sectors != snapshot.sectors[i]) {
            return false;
        }
        ++i;
    }
    return true;
}

void LruStack::shift(const LineShift& shift)
{
    for (std::int32_t slot = 0; slot < used_; ++slot) {
        next_slot_[static_cast<std::size_t>(slots_[static_cast<std::size_t>(slot)].line)] = 0;
    }
    for (std::int32_t slot = 0; slot < used_; ++slot) {
        std::int64_t& line = slots_[static_cast<std::size_t>(slot)].line;
        line = shift(line);
        next_slot_[static_cast<std::size_t>(line)] = slot + 1;
    }
}

void LruStack::unlink(std::int32_t slot)
{
    const Slot& entry = slots_[static_cast<std::size_t>(slot)];
    (entry.newer >= 0 ? slots_[static_cast<std::size_t>(entry.newer)].older : newest_) = entry.older;
    (entry.older >= 0 ? slots_[static_cast<std::size_t>(entry.older)].newer : oldest_) = entry.newer;
}

void LruStack::push_front(std::int32_t slot)
{
    Slot& entry = slots_[static_cast<std::size_t>(slot)];
    entry.newer = -1;
    entry.older = newest_;
    (newest_ >= 0 ? slots_[static_cast<std::size_t>(newest_)].newer : oldest_) = slot;
    newest_ = slot;
}

} // namespace texelscope
