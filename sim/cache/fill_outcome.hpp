#pragma once

#include "base/layers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace texelscope::sim {

enum class MissKind : std::uint8_t {
    none,       ///< a hit
    compulsory, ///< first touch of the line (sector) by this cache
    capacity,   ///< misses also in a fully associative LRU cache of the same capacity
    conflict,   ///< the rest
};

struct LookupOutcome {
    MissKind miss = MissKind::none;
    /// Address of the first byte of the line that was thrown out, if one was.
    std::optional<std::int64_t> evicted;

    [[nodiscard]] bool hit() const { return miss == MissKind::none; }
};

/// Most levels of cache between a core and memory.
inline constexpr std::size_t most_levels = 8;

/// What one lookup that missed in L1 met in the levels behind it, of those that were asked: only
/// the last can be a hit.
class LevelOutcomes {
public:
    void push_back(const LookupOutcome& outcome) { outcomes_[size_++] = outcome; }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const LookupOutcome* begin() const { return outcomes_.data(); }
    [[nodiscard]] const LookupOutcome* end() const { return outcomes_.data() + size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] const LookupOutcome& back() const { return outcomes_[size_ - 1]; }
    /// Levels that missed.
    [[nodiscard]] std::size_t missed() const { return size_ - (!empty() && back().hit() ? 1 : 0); }

private:
    std::array<LookupOutcome, most_levels - 1> outcomes_{};
    std::size_t size_ = 0;
};

/// What one access to a cache did to the line's presence.
struct FillOutcome {
    bool line_present = false;   ///< before the access
    bool sector_present = false; ///< before the access
    std::int64_t evicted_line = -1;
};

/// Lines first + deltas[i], to be looked up in that order.
struct LineList {
    std::int64_t first = 0;
    std::span<const std::int32_t> deltas;
    bool distinct = false; ///< no line occurs twice
    /// Where known: lengths of the stretches of deltas that go to one set of a cache with set =
    /// line mod sets.
    std::span<const std::int32_t> runs = {};
    std::int32_t longest_run = 0; ///< of them
};

/// What looking up a list did.
struct LookupCount {
    std::int64_t misses = 0;
    std::int64_t evictions = 0; ///< lines thrown out

    LookupCount& operator+=(const LookupCount& other)
    {
        misses += other.misses;
        evictions += other.evictions;
        return *this;
    }
};

/// Looks up the lines of a list one by one, in anything that has access(line, sector mask).
template <class Store>
LookupCount access_each(Store& store, const LineList& lines, std::uint8_t* missed)
{
    LookupCount count;
    for (std::size_t i = 0; i < lines.deltas.size(); ++i) {
        const FillOutcome outcome = store.access(lines.first + lines.deltas[i], 1);
        count.misses += outcome.line_present ? 0 : 1;
        count.evictions += outcome.evicted_line >= 0 ? 1 : 0;
        if (missed != nullptr) {
            missed[i] = outcome.line_present ? 0 : 1;
        }
    }
    return count;
}

} // namespace texelscope::sim
