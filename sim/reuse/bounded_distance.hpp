#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/cache/line_table.hpp"
#include "sim/reuse/reuse_distance.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Exact LRU stack distances of a sequence of lines, below a depth. Lookups at greater distances
/// are only counted (`deeper`), apart from first touches.
///
/// Works as StackDistanceCounter, but has marks only for the last lookups, in a window of
/// 4096 times. At the end of the window, the marks of the most recent `depth` lines move to
/// its start. A table says for each line where in the window it was looked up last. This may be out
/// of date, so the window remembers the line of each time, too. Checkpoints before the horizon are
/// deeper than the depth for certain, and their distance is not counted.
///
/// 2 bytes for each line number and 49 KiB, whatever the length of the sequence.
class BoundedDistanceCounter {
public:
    static constexpr int most_depth = 512;

    /// Throws bad_input where the depth is not in [1, most_depth].
    BoundedDistanceCounter(std::int64_t line_count, int depth);

    /// The next lookups; lines.first + delta lies in [0, line_count). Fastest where the list says
    /// that its lines are distinct.
    void access_all(const LineList& lines);
    /// counts has `depth` entries.
    [[nodiscard]] ReuseDistanceHistogram histogram() const;

private:
    static constexpr int word_bits = 64;
    static constexpr int words = 64;
    static constexpr int times = word_bits * words;

    void access_distinct(std::int64_t first, std::span<const std::int32_t> deltas);
    /// Leaves the marks of the most recent lines alone, at the start of the window.
    void compact();
    /// Moves the horizon to the present, as far as there are `depth` marks behind it.
    void raise_horizon();

    LineTable<std::uint16_t> last_use_; ///< by line: a time in the window + 1; 0: never used
    std::array<std::int32_t, times> line_at_;
    std::array<std::uint64_t, words> marks_{};
    int depth_;
    int now_ = 0;
    int horizon_ = 0; ///< a time, at the start of a word
    std::int64_t first_touches_ = 0;
    std::int64_t lookups_ = 0;
    std::vector<std::int64_t> counts_; ///< by distance, some beyond the depth included
};

} // namespace texelscope::sim
