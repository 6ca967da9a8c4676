#include "sim/cache/lru_stack.hpp"

#include "sim/cache/processor_clones.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace texelscope::sim {
namespace {

/// Size of the ring. The more room it has beyond the lines themselves, the less often it has to be
/// compacted (reserve()).
std::size_t ring_size(std::int64_t capacity)
{
    constexpr std::int64_t least = 1024;
    return std::bit_ceil(static_cast<std::size_t>(std::max(4 * capacity, least)));
}

/// Sum of eight bytes, each 0 or 1.
std::int64_t sum_of_8(const std::uint8_t* bytes)
{
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    return static_cast<std::int64_t>((word * 0x0101010101010101U) >> 56);
}

constexpr std::size_t most_together = 256; ///< most lines of one access_together()

/// Lines of a list, and where their values are in last_use_.
struct Places {
    std::array<std::int32_t, most_together> line;
    std::array<std::int32_t, most_together> place; ///< line_place()
};

TEXELSCOPE_AVX2_CLONES
void find_places(std::int32_t first, const std::int32_t* __restrict deltas, std::size_t size,
                 Places& __restrict places)
{
    for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t line = first + deltas[i];
        places.line[i] = line;
        places.place[i] = line_place(line);
    }
}

/// Which of some lines are absent, by their last uses.
struct Absent {
    std::uint32_t count; ///< number of absent lines: their last use is before `begin`
    /// Last use of the oldest line present, less `begin`; at most `most`.
    std::uint32_t oldest_present;
};

TEXELSCOPE_AVX2_CLONES
Absent count_absent(const std::uint32_t* last, std::size_t size, std::uint32_t begin,
                    std::uint32_t most)
{
    Absent absent{0, most};
    for (std::size_t i = 0; i < size; ++i) {
        absent.count += last[i] < begin ? 1U : 0U;
        // For an absent line the unsigned difference wraps around to a large number.
        absent.oldest_present = std::min(absent.oldest_present, last[i] - begin);
    }
    return absent;
}

} // namespace

LruStack::LruStack(std::int64_t capacity, std::int64_t line_count, bool sectored)
    : capacity_(std::min(capacity, line_count)), lines_(ring_size(capacity_)),
      alive_(2 * lines_.size()), sectors_(sectored ? lines_.size() : 0, 0), last_use_(line_count)
{}

bool LruStack::contains(std::int64_t line, std::uint64_t sector_mask) const
{
    const Use last = last_use_[line];
    return last >= begin_ &&
           (sectors_.empty() || (sectors_[place(last)] & sector_mask) == sector_mask);
}

LruStack::Snapshot LruStack::take_out()
{
    Snapshot snapshot = save();
    for (const std::int32_t line : snapshot.lines) {
        last_use_[line] = 0;
    }
    used_ = 0;
    begin_ = end_;
    return snapshot;
}

void LruStack::reserve(std::size_t uses)
{
    if (end_ - begin_ + uses > lines_.size()) {
        restore(take_out()); // compacts the ring: only uses alive remain
    }
    // Numbers of uses would overflow soon: start them again.
    if (end_ > std::numeric_limits<Use>::max() - lines_.size()) {
        const Snapshot snapshot = take_out();
        last_use_.clear();
        begin_ = first_use;
        end_ = first_use;
        restore(snapshot);
    }
}

void LruStack::append(std::int64_t line)
{
    lines_[place(end_)] = static_cast<std::int32_t>(line);
    alive_[place(end_)] = 1;
    last_use_[line] = end_;
    ++end_;
}

// Eight bytes at a time, unless these would go beyond the end of the ring.
LruStack::Use LruStack::after_oldest(std::int64_t count) const
{
    Use use = begin_;
    while (count > 0) {
        const std::size_t at = place(use);
        const std::int64_t eight =
            at + 8 <= lines_.size() ? sum_of_8(alive_.data() + at) : count + 1;
        if (eight <= count) {
            count -= eight;
            use += 8;
        } else {
            count -= alive_[at];
            ++use;
        }
    }
    return use;
}

// Uses that are no longer alive are skipped: their lines were used again.
std::int32_t LruStack::drop_oldest()
{
    while (!is_alive(begin_)) {
        ++begin_;
    }
    --used_;
    return lines_[place(begin_++)];
}

FillOutcome LruStack::access(std::int64_t line, std::uint64_t sector_mask)
{
    reserve(1);
    FillOutcome outcome;
    std::uint64_t sectors = sector_mask;
    const Use last = last_use_[line];
    outcome.line_present = last >= begin_;
    outcome.sector_present = contains(line, sector_mask);
    if (outcome.line_present) {
        alive_[place(last)] = 0;
        if (!sectors_.empty()) {
            sectors |= sectors_[place(last)];
        }
    } else {
        if (used_ == capacity_) {
            outcome.evicted_line = drop_oldest();
        }
        ++used_;
    }
    append(line);
    if (!sectors_.empty()) {
        sectors_[place(end_ - 1)] = sectors;
    }
    return outcome;
}

LookupCount LruStack::take_place(Use last)
{
    if (last >= begin_) {
        alive_[place(last)] = 0;
        return {};
    }
    if (used_ == capacity_) {
        (void)drop_oldest();
        ++used_;
        return {1, 1};
    }
    ++used_;
    return {1, 0};
}

LookupCount LruStack::access_one_by_one(const LineList& lines, std::uint8_t* missed)
{
    LookupCount count;
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        reserve(1);
        const std::int64_t line = lines.first + lines.deltas[i];
        const Use last = last_use_[line];
        if (missed != nullptr) {
            missed[i] = last < begin_ ? 1 : 0;
        }
        if (last + 1 != end_) { // else the line is the most recent one already
            count += take_place(last);
            append(line);
        }
    }
    return count;
}

LookupCount LruStack::access_together(const LineList& lines, std::uint8_t* missed)
{
    const std::size_t size = lines.deltas.size();
    reserve(size);
    // Local copies, so that the compiler knows that writes to the tables do not change them.
    const Use begin = begin_;
    const Use end = end_;
    const std::size_t mask = lines_.size() - 1;
    Use* const last_use = last_use_.data();
    std::int32_t* const ring = lines_.data();
    Places places;
    find_places(static_cast<std::int32_t>(lines.first), lines.deltas.data(), size, places);
    // Append the uses of all lines, and get their last uses before.
    std::array<Use, most_together> last;
    for (std::size_t i = 0; i < size; ++i) {
        last[i] = std::exchange(last_use[places.place[i]], end + static_cast<Use>(i));
    }
    const std::size_t to_wrap = std::min(size, lines_.size() - place(end));
    std::copy_n(places.line.begin(), to_wrap, ring + place(end));
    std::copy_n(places.line.begin() + to_wrap, size - to_wrap, ring);
    // The misses, and what they throw out, if no line of the list falls out before its own turn.
    const Absent absent = count_absent(last.data(), size, begin, end - begin);
    LookupCount count;
    count.misses = absent.count;
    count.evictions = std::max(used_ + count.misses - capacity_, std::int64_t{0});
    const Use after_evicted = after_oldest(count.evictions);
    const bool none_falls_out = begin + absent.oldest_present >= after_evicted;
    std::uint8_t* const alive = alive_.data();
    for (std::size_t i = 0; none_falls_out && i < size; ++i) {
        // End the last use of each line. A branch would often be mispredicted; instead, an absent
        // line clears an entry of the second half, which belongs to no use.
        const std::size_t is_absent = last[i] < begin ? 1 : 0;
        alive[(last[i] & mask) | ((mask + 1) & (0 - is_absent))] = 0;
    }
    std::fill_n(alive + place(end), to_wrap, std::uint8_t{1});
    std::fill_n(alive, size - to_wrap, std::uint8_t{1});
    if (none_falls_out) {
        used_ += count.misses - count.evictions;
        begin_ = after_evicted;
        end_ = end + static_cast<Use>(size);
        for (std::size_t i = 0; missed != nullptr && i < size; ++i) {
            missed[i] = last[i] < begin ? 1 : 0;
        }
        return count;
    }
    // Some line may fall out before its own turn: take the lines one by one.
    count = {};
    for (std::size_t i = 0; i < size; ++i) {
        if (missed != nullptr) {
            missed[i] = last[i] < begin_ ? 1 : 0;
        }
        count += take_place(last[i]);
        ++end_;
    }
    return count;
}

LookupCount LruStack::access_all(const LineList& lines, std::uint8_t* missed)
{
    if (!lines.distinct || lines.deltas.size() < 8) {
        return access_one_by_one(lines, missed);
    }
    // After as many distinct lines as the cache holds, each further one misses, and the last of
    // them remain.
    const std::size_t size = lines.deltas.size();
    const std::size_t looked_up = std::min(size, static_cast<std::size_t>(capacity_));
    LookupCount count;
    for (std::size_t begin = 0; begin < looked_up; begin += most_together) {
        count += access_together(
            {lines.first, lines.deltas.subspan(begin, std::min(most_together, looked_up - begin))},
            missed == nullptr ? nullptr : missed + begin);
    }
    if (looked_up < size) {
        const auto rest = static_cast<std::int64_t>(size - looked_up);
        count += {rest, rest};
        if (missed != nullptr) {
            std::fill(missed + looked_up, missed + size, std::uint8_t{1});
        }
        reserve(looked_up);
        begin_ = end_;
        for (std::size_t i = size - looked_up; i < size; ++i) {
            append(lines.first + lines.deltas[i]);
        }
    }
    return count;
}

LruStack::Snapshot LruStack::save() const
{
    Snapshot snapshot;
    snapshot.lines.reserve(static_cast<std::size_t>(used_));
    for (Use use = begin_; use != end_; ++use) {
        if (is_alive(use)) {
            snapshot.lines.push_back(lines_[place(use)]);
            if (!sectors_.empty()) {
                snapshot.sectors.push_back(sectors_[place(use)]);
            }
        }
    }
    return snapshot;
}

void LruStack::restore(const Snapshot& snapshot)
{
    (void)take_out();
    for (std::size_t i = 0; i < snapshot.lines.size(); ++i) {
        if (!sectors_.empty()) {
            sectors_[place(end_)] = snapshot.sectors[i];
        }
        append(snapshot.lines[i]);
    }
    used_ = static_cast<std::int64_t>(snapshot.lines.size());
}

bool LruStack::is_shifted(const Snapshot& snapshot, const LineShift& shift) const
{
    if (snapshot.lines.size() != static_cast<std::size_t>(used_)) {
        return false;
    }
    std::size_t i = 0;
    for (Use use = begin_; use != end_; ++use) {
        if (!is_alive(use)) {
            continue;
        }
        const std::size_t at = place(use);
        if (lines_[at] != shift(snapshot.lines[i]) ||
            (!sectors_.empty() && sectors_[at] != snapshot.sectors[i])) {
            return false;
        }
        ++i;
    }
    return true;
}

void LruStack::shift(const LineShift& shift)
{
    Snapshot moved = take_out();
    for (std::int32_t& line : moved.lines) {
        line = static_cast<std::int32_t>(shift(line));
    }
    reserve(moved.lines.size());
    restore(moved);
}

} // namespace texelscope::sim
