#include "gui/widgets/line_history.hpp"

#include <algorithm>

namespace texelscope::gui {

void LineHistory::fill(std::int64_t access, const HeldLine& line, std::optional<std::int64_t> evicted)
{
    // Once as many changes have come as a snapshot takes: all snapshots together are no longer than the changes, and the
    // way from a snapshot to a moment is no longer than a few times the cache.
    constexpr std::size_t least = 64;
    const std::size_t last = snapshots_.empty() ? 0 : snapshots_.back().changes;
    if (changes_.size() - last >= std::max(least, held_.size())) {
        snapshots_.push_back({changes_.size(), held_});
        size_ += held_.size();
    }
    changes_.push_back({access, line, evicted.value_or(-1)});
    apply(changes_.back(), held_);
    ++size_;
}

std::vector<HeldLine> LineHistory::after(std::int64_t access) const
{
    const auto end = std::upper_bound(changes_.begin(), changes_.end(), access,
                                      [](std::int64_t at, const Change& change) { return at < change.access; });
    const auto done = static_cast<std::size_t>(end - changes_.begin());
    const auto later = std::upper_bound(snapshots_.begin(), snapshots_.end(), done,
                                        [](std::size_t at, const Snapshot& snapshot) { return at < snapshot.changes; });
    std::vector<HeldLine> held;
    std::size_t from = 0;
    if (later != snapshots_.begin()) {
        held = std::prev(later)->held;
        from = std::prev(later)->changes;
    }
    for (std::size_t i = from; i < done; ++i) {
        apply(changes_[i], held);
    }
    return held;
}

void LineHistory::apply(const Change& change, std::vector<HeldLine>& held) const
{
    const auto at = [&](std::int64_t address) {
        return std::lower_bound(held.begin(), held.end(), address,
                                [](const HeldLine& line, std::int64_t wanted) { return line.address < wanted; });
    };
    if (change.evicted >= 0) {
        held.erase(at(change.evicted), at(change.evicted + line_)); // with sectors, all that are there
    }
    held.insert(at(change.line.address), change.line);
}

} // namespace texelscope::gui
