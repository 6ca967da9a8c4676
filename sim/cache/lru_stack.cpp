#include "sim/cache/lru_stack.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::sim {
namespace {

/// Room in the list beyond the lines themselves: how often it is closed up.
std::size_t list_size(std::int64_t capacity)
{
    constexpr std::int64_t least = 4096;
    return static_cast<std::size_t>(std::max(4 * capacity, least));
}

} // namespace

LruStack::LruStack(std::int64_t capacity, std::int64_t line_count, bool sectored)
    : capacity_(std::min(capacity, line_count)), list_(list_size(capacity_), gap),
      sectors_(sectored ? list_.size() : 0, 0), places_(line_count)
{}

bool LruStack::contains(std::int64_t line, std::uint64_t sector_mask) const
{
    return is_present(line) && (sectors_.empty() || (sectors_[place_of(line)] & sector_mask) == sector_mask);
}

void LruStack::append(std::int64_t line)
{
    if (end_ == list_.size()) {
        close_up();
    }
    list_[end_] = static_cast<std::int32_t>(line);
    places_[line] = static_cast<std::int32_t>(end_);
    ++end_;
}

std::int32_t LruStack::drop_oldest()
{
    while (list_[begin_] == gap) {
        ++begin_;
    }
    --used_;
    return std::exchange(list_[begin_++], gap);
}

void LruStack::close_up()
{
    std::size_t end = 0;
    for (std::size_t place = begin_; place < end_; ++place) {
        const std::int32_t line = list_[place];
        if (line != gap) {
            list_[end] = line;
            if (!sectors_.empty()) {
                sectors_[end] = sectors_[place];
            }
            places_[line] = static_cast<std::int32_t>(end);
            ++end;
        }
    }
    std::fill(list_.begin() + static_cast<std::ptrdiff_t>(end), list_.end(), gap);
    begin_ = 0;
    end_ = end;
}

FillOutcome LruStack::access(std::int64_t line, std::uint64_t sector_mask)
{
    FillOutcome outcome;
    std::uint64_t sectors = sector_mask;
    outcome.line_present = is_present(line);
    outcome.sector_present = contains(line, sector_mask);
    if (outcome.line_present) {
        const std::size_t place = place_of(line);
        list_[place] = gap;
        if (!sectors_.empty()) {
            sectors |= sectors_[place];
        }
    } else {
        if (used_ == capacity_) {
            outcome.evicted_line = drop_oldest();
        }
        ++used_;
    }
    append(line);
    if (!sectors_.empty()) {
        sectors_[end_ - 1] = sectors;
    }
    return outcome;
}

LookupCount LruStack::access_one_by_one(const LineList& lines, std::uint8_t* missed)
{
    LookupCount count;
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        const std::int64_t line = lines.first + lines.deltas[i];
        const std::size_t place = place_of(line);
        const bool present = list_[place] == line;
        if (missed != nullptr) {
            missed[i] = present ? 0 : 1;
        }
        if (present) {
            if (place + 1 == end_) {
                continue; // already the most recent one
            }
            list_[place] = gap;
        } else {
            ++count.misses;
            if (used_ == capacity_) {
                (void)drop_oldest();
                ++count.evictions;
            }
            ++used_;
        }
        append(line);
    }
    return count;
}

LookupCount LruStack::access_all(const LineList& lines, std::uint8_t* missed)
{
    const auto capacity = static_cast<std::size_t>(capacity_);
    const std::size_t size = lines.deltas.size();
    if (!lines.distinct || size <= 2 * capacity) {
        return access_one_by_one(lines, missed);
    }
    // After as many distinct lines as the cache holds, each further one misses, and the last of them remain.
    const auto part = [&](std::size_t begin, std::size_t count) {
        return access_one_by_one({lines.first, lines.deltas.subspan(begin, count), true},
                                 missed == nullptr ? nullptr : missed + begin);
    };
    const std::size_t last = size - capacity;
    LookupCount count = part(0, capacity);
    if (missed != nullptr) {
        std::fill(missed + capacity, missed + last, std::uint8_t{1});
    }
    const auto between = static_cast<std::int64_t>(last - capacity);
    count += {between, between};
    count += part(last, capacity);
    return count;
}

LruStack::Snapshot LruStack::save() const
{
    Snapshot snapshot;
    snapshot.lines.reserve(static_cast<std::size_t>(used_));
    for (std::size_t place = begin_; place < end_; ++place) {
        if (list_[place] != gap) {
            snapshot.lines.push_back(list_[place]);
            if (!sectors_.empty()) {
                snapshot.sectors.push_back(sectors_[place]);
            }
        }
    }
    return snapshot;
}

void LruStack::restore(const Snapshot& snapshot)
{
    std::fill(list_.begin(), list_.end(), gap);
    begin_ = 0;
    end_ = 0;
    used_ = static_cast<std::int64_t>(snapshot.lines.size());
    for (std::size_t i = 0; i < snapshot.lines.size(); ++i) {
        append(snapshot.lines[i]);
        if (!sectors_.empty()) {
            sectors_[i] = snapshot.sectors[i];
        }
    }
}

bool LruStack::is_shifted(const Snapshot& snapshot, const LineShift& shift) const
{
    if (snapshot.lines.size() != static_cast<std::size_t>(used_)) {
        return false;
    }
    std::size_t i = 0;
    for (std::size_t place = begin_; place < end_; ++place) {
        if (list_[place] == gap) {
            continue;
        }
        if (list_[place] != shift(snapshot.lines[i]) || (!sectors_.empty() && sectors_[place] != snapshot.sectors[i])) {
            return false;
        }
        ++i;
    }
    return true;
}

void LruStack::shift(const LineShift& shift)
{
    for (std::size_t place = begin_; place < end_; ++place) {
        if (list_[place] != gap) {
            list_[place] = static_cast<std::int32_t>(shift(list_[place]));
            places_[list_[place]] = static_cast<std::int32_t>(place);
        }
    }
}

} // namespace texelscope::sim
