#include "sim/bounded_distance.hpp"

#include "sim/popcount_clones.hpp"
#include "traces/error.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

namespace texelscope {

BoundedDistanceCounter::BoundedDistanceCounter(std::int64_t line_count, int depth)
    : last_use_(line_count), depth_(depth), counts_(times, 0)
{
    if (depth < 1 || depth > most_depth) {
        throw bad_input("distances cannot be counted up to " + std::to_string(depth) + " lines", "depth",
                        "choose 1 to " + std::to_string(most_depth) + ", or none to count all");
    }
    line_at_.fill(-1);
}

TEXELSCOPE_POPCOUNT_CLONES
void BoundedDistanceCounter::compact()
{
    int first = words;
    int found = 0;
    while (first > 0 && found < depth_) {
        found += std::popcount(marks_[static_cast<std::size_t>(--first)]);
    }
    int kept = 0;
    for (int word = first; word < words; ++word) {
        for (std::uint64_t marks = marks_[static_cast<std::size_t>(word)]; marks != 0; marks &= marks - 1) {
            if (found > depth_) { // the oldest
                --found;
                continue;
            }
            const std::int32_t line = line_at_[static_cast<std::size_t>(word * word_bits + std::countr_zero(marks))];
            line_at_[static_cast<std::size_t>(kept)] = line;
            last_use_[line] = static_cast<std::uint16_t>(++kept);
        }
    }
    std::fill(line_at_.begin() + kept, line_at_.end(), -1);
    marks_.fill(0);
    for (int time = 0; time < kept; ++time) {
        marks_[static_cast<std::size_t>(time / word_bits)] |= std::uint64_t{1} << (time % word_bits);
    }
    now_ = kept;
    horizon_ = 0;
}

TEXELSCOPE_POPCOUNT_CLONES
void BoundedDistanceCounter::raise_horizon()
{
    int word = now_ / word_bits;
    int marks = 0;
    while (word > horizon_ / word_bits && marks < depth_) {
        marks += std::popcount(marks_[static_cast<std::size_t>(--word)]);
    }
    if (marks >= depth_) {
        horizon_ = word * word_bits;
    }
}

TEXELSCOPE_POPCOUNT_CLONES
void BoundedDistanceCounter::access_all(const LineList& lines)
{
    std::int64_t previous = previous_;
    int now = now_;
    std::uint64_t present = marks_[static_cast<std::size_t>(now / word_bits)]; // the word under way is kept apart
    for (const std::int32_t delta : lines.deltas) {
        const std::int64_t line = lines.first + delta;
        if (line == previous) {
            ++repeats_;
            continue;
        }
        previous = line;
        std::uint16_t& use = last_use_[line];
        const int time = use - 1;
        use = static_cast<std::uint16_t>(now + 1);
        const int present_word = now / word_bits;
        if (time >= horizon_ && line_at_[static_cast<std::size_t>(time)] == line) {
            const int word = time / word_bits;
            const std::uint64_t mark = std::uint64_t{1} << (time % word_bits);
            if (word == present_word) {
                ++counts_[static_cast<std::size_t>(std::popcount(present & ~(mark | (mark - 1))))];
                present &= ~mark;
            } else {
                std::uint64_t& marks = marks_[static_cast<std::size_t>(word)];
                int distance = std::popcount(marks & ~(mark | (mark - 1))) + std::popcount(present);
                marks &= ~mark;
                for (int between = word + 1; between < present_word; ++between) {
                    distance += std::popcount(marks_[static_cast<std::size_t>(between)]);
                }
                ++counts_[static_cast<std::size_t>(distance)];
            }
        } else {
            first_touches_ += time < 0 ? 1 : 0;
        }
        present |= std::uint64_t{1} << (now % word_bits);
        line_at_[static_cast<std::size_t>(now)] = static_cast<std::int32_t>(line);
        if (++now % word_bits == 0) {
            marks_[static_cast<std::size_t>(present_word)] = present;
            now_ = now;
            now == times ? compact() : raise_horizon();
            now = now_;
            present = marks_[static_cast<std::size_t>(now / word_bits)];
        }
    }
    lookups_ += static_cast<std::int64_t>(lines.deltas.size());
    marks_[static_cast<std::size_t>(now / word_bits)] = present;
    now_ = now;
    previous_ = previous;
}

ReuseDistanceHistogram BoundedDistanceCounter::histogram() const
{
    ReuseDistanceHistogram histogram;
    histogram.counts.assign(counts_.begin(), counts_.begin() + depth_);
    histogram.counts.front() += repeats_;
    histogram.first_touches = first_touches_;
    histogram.deeper =
        std::accumulate(histogram.counts.begin(), histogram.counts.end(), lookups_ - first_touches_, std::minus<>());
    return histogram;
}

} // namespace texelscope
