#pragma once

#include "base/layers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace texelscope::sim {

/// The kind of a miss.
enum class MissKind : std::uint8_t {
    none,       ///< no miss: a hit
    compulsory, ///< the cache is asked for this granule for the first time
    capacity,   ///< the lookup misses also in a fully associative LRU cache of the same capacity
    conflict,   ///< all other misses
};

/// What one lookup met.
struct LookupOutcome {
    MissKind miss = MissKind::none;
    /// Address of the first byte of the line that was thrown out; nullopt where none was.
    std::optional<std::int64_t> evicted;

    [[nodiscard]] bool hit() const { return miss == MissKind::none; }
};

/// The most levels of cache that there can be between a core and memory.
inline constexpr std::size_t most_levels = 8;

/// What a lookup that missed in L1 met in the levels behind L1. It asks one level after another
/// until one hits, so only the last outcome can be a hit.
class LevelOutcomes {
public:
    void push_back(const LookupOutcome& outcome) { outcomes_[size_++] = outcome; }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const LookupOutcome* begin() const { return outcomes_.data(); }
    [[nodiscard]] const LookupOutcome* end() const { return outcomes_.data() + size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] const LookupOutcome& back() const { return outcomes_[size_ - 1]; }
    /// Number of levels that missed.
    [[nodiscard]] std::size_t missed() const { return size_ - (!empty() && back().hit() ? 1 : 0); }

private:
    std::array<LookupOutcome, most_levels - 1> outcomes_{};
    std::size_t size_ = 0;
};

/// What an access to one line of a cache found and did.
struct FillOutcome {
    bool line_present = false;      ///< the line was there before the access
    bool sector_present = false;    ///< all sectors asked for were there before the access
    std::int64_t evicted_line = -1; ///< number of the line that was thrown out; -1: none
};

/// A list of lines to look up, in order: the lines first + deltas[i].
struct LineList {
    std::int64_t first = 0;
    std::span<const std::int32_t> deltas;
    bool distinct = false; ///< it is known that no line occurs twice
    /// Lengths of the stretches of deltas that go to the same set of a cache with set = line mod
    /// sets; empty where they are not known.
    std::span<const std::int32_t> runs = {};
    std::int32_t longest_run = 0; ///< the greatest of `runs`
};

/// Sums over the lookups of a list.
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
