#include "sim/reuse/bounded_distance.hpp"

#include "base/error.hpp"
#include "sim/cache/processor_clones.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

namespace texelscope::sim {

BoundedDistanceCounter::BoundedDistanceCounter(std::int64_t line_count, int depth)
    : last_use_(line_count), depth_(depth), counts_(times, 0)
{
    if (depth < 1 || depth > most_depth) {
        throw bad_input("distances cannot be counted up to " + std::to_string(depth) + " lines",
                        "depth",
                        "choose 1 to " + std::to_string(most_depth) + ", or none to count all");
    }
    line_at_.fill(-1);
}

// What is older than the last `depth` marks can only give distances beyond the depth.
TEXELSCOPE_POPCOUNT_CLONES
void BoundedDistanceCounter::compact()
{
    // Goes back from the end until `depth` marks are found.
    int first = words;
    int found = 0;
    while (first > 0 && found < depth_) {
        found += std::popcount(marks_[static_cast<std::size_t>(--first)]);
    }
    int kept = 0;
    for (int word = first; word < words; ++word) {
        for (std::uint64_t checkpoints = marks_[static_cast<std::size_t>(word)]; checkpoints != 0;
             checkpoints &= checkpoints - 1) {
            if (found > depth_) { // the oldest
                --found;
                continue;
            }
            const std::int32_t line = line_at_[static_cast<std::size_t>(
                word * word_bits + std::countr_zero(checkpoints))];
            line_at_[static_cast<std::size_t>(kept)] = line;
            last_use_[line] = static_cast<std::uint16_t>(++kept);
        }
    }
    std::fill(line_at_.begin() + kept, line_at_.end(), -1);
    marks_.fill(0);
    for (int time = 0; time < kept; ++time) {
        marks_[static_cast<std::size_t>(time / word_bits)] |= std::uint64_t{1}
                                                              << (time % word_bits);
    }
    now_ = kept;
    horizon_ = 0;
}

TEXELSCOPE_POPCOUNT_CLONES
// The horizon is a time before which every line is deeper than the depth: lookups of such lines
// need no counting.
void BoundedDistanceCounter::raise_horizon()
{
    int word = now_ / word_bits;
    int checkpoints = 0;
    while (word > horizon_ / word_bits && checkpoints < depth_) {
        checkpoints += std::popcount(marks_[static_cast<std::size_t>(--word)]);
    }
    if (checkpoints >= depth_) {
        horizon_ = word * word_bits;
    }
}

/// Lookups of lines that differ from each other, none of which is in the list twice, while the
/// present stays in one word.
[[gnu::always_inline]] inline void
BoundedDistanceCounter::access_distinct(std::int64_t first, std::span<const std::int32_t> deltas)
{
    // First find the lines that are near, without branches, which would often be mispredicted.
    struct Near {
        std::int16_t time;
        std::int16_t position; // in the list
    };
    std::array<Near, word_bits> near; // not initialised
    std::size_t near_count = 0;
    const int size = static_cast<int>(deltas.size());
    const int horizon = horizon_;
    std::int64_t first_touches = 0;
    std::int32_t* const line_at = line_at_.data();
    for (int i = 0; i < size; ++i) {
        const auto line = static_cast<std::int32_t>(first + deltas[static_cast<std::size_t>(i)]);
        std::uint16_t& use = last_use_[line];
        const int time = use - 1;
        use = static_cast<std::uint16_t>(now_ + i + 1);
        // A line that was never used has time -1 and so looks at the last time; it is refused by
        // the horizon.
        const std::int32_t line_then = line_at[time & (times - 1)];
        line_at[now_ + i] = line;
        near[near_count] = {static_cast<std::int16_t>(time), static_cast<std::int16_t>(i)};
        near_count +=
            static_cast<std::size_t>(line_then == line) & static_cast<std::size_t>(time >= horizon);
        first_touches += static_cast<std::uint32_t>(time) >> 31;
    }
    first_touches_ += first_touches;
    // Then their distances: behind the mark are those of before, and the lines of the list up
    // to this one.
    std::uint64_t* const checkpoints = marks_.data();
    const int present = now_ / word_bits;
    for (std::size_t n = 0; n < near_count; ++n) {
        const int word = near[n].time / word_bits;
        const std::uint64_t checkpoint = std::uint64_t{1} << (near[n].time % word_bits);
        int distance =
            near[n].position + std::popcount(checkpoints[word] & ~(checkpoint | (checkpoint - 1)));
        for (int later = word + 1; later <= present; ++later) {
            distance += std::popcount(checkpoints[later]);
        }
        checkpoints[word] &= ~checkpoint;
        ++counts_[static_cast<std::size_t>(distance)];
    }
    checkpoints[present] |= (size == word_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1)
                            << (now_ % word_bits);
    now_ += size;
}

TEXELSCOPE_POPCOUNT_CLONES
void BoundedDistanceCounter::access_all(const LineList& lines)
{
    for (std::size_t begin = 0; begin < lines.deltas.size();) {
        // Where lines of the list may repeat, they are looked up one by one.
        const std::size_t room =
            lines.distinct ? static_cast<std::size_t>(word_bits - now_ % word_bits) : 1;
        const std::size_t count = std::min(room, lines.deltas.size() - begin);
        access_distinct(lines.first, lines.deltas.subspan(begin, count));
        begin += count;
        if (now_ % word_bits == 0) {
            now_ == times ? compact() : raise_horizon();
        }
    }
    lookups_ += static_cast<std::int64_t>(lines.deltas.size());
}

ReuseDistanceHistogram BoundedDistanceCounter::histogram() const
{
    ReuseDistanceHistogram histogram;
    histogram.counts.assign(counts_.begin(), counts_.begin() + depth_);
    histogram.first_touches = first_touches_;
    // What was neither a first touch nor within the depth is deeper.
    histogram.deeper = std::accumulate(histogram.counts.begin(), histogram.counts.end(),
                                       lookups_ - first_touches_, std::minus<>());
    return histogram;
}

} // namespace texelscope::sim
