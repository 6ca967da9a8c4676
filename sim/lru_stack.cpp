#include "sim/lru_stack.hpp"

namespace texelscope {

LruStack::LruStack(std::int64_t capacity, std::int64_t line_count)
    : slots_(static_cast<std::size_t>(capacity)), slot_of_line_(static_cast<std::size_t>(line_count), -1)
{}

bool LruStack::contains(std::int64_t line, std::uint64_t sector_mask) const
{
    const std::int32_t slot = slot_of_line_[static_cast<std::size_t>(line)];
    return slot >= 0 && (slots_[static_cast<std::size_t>(slot)].sectors & sector_mask) == sector_mask;
}

FillOutcome LruStack::access(std::int64_t line, std::uint64_t sector_mask)
{
    FillOutcome outcome;
    std::int32_t slot = slot_of_line_[static_cast<std::size_t>(line)];
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
        slot_of_line_[static_cast<std::size_t>(outcome.evicted_line)] = -1;
        unlink(slot);
    }
    slots_[static_cast<std::size_t>(slot)].line = line;
    slots_[static_cast<std::size_t>(slot)].sectors = sector_mask;
    slot_of_line_[static_cast<std::size_t>(line)] = slot;
    push_front(slot);
    return outcome;
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
