#include "sim/reuse/stack_distance.hpp"

#include "sim/cache/processor_clones.hpp"

#include <algorithm>
#include <bit>

namespace texelscope::sim {
namespace {

constexpr std::uint32_t bits_in_word = 64;
constexpr std::uint32_t block_words = 8;
constexpr std::uint32_t block_bits = bits_in_word * block_words;
constexpr std::uint32_t open_blocks = 2; ///< not in the tree, beside the one of the present
constexpr std::uint32_t near_words = 16; ///< counted from the present
constexpr std::uint32_t step_words = 8;  ///< counted from the last far mark

/// Marks for a table of so many lines: the more times, the rarer they move together. Whole blocks,
/// below 2^32.
std::uint32_t times_for(std::int64_t lines)
{
    constexpr std::int64_t least = 1 << 12;
    constexpr std::int64_t most = (std::int64_t{1} << 32) - block_bits;
    const std::int64_t times = std::clamp(8 * lines, least, most);
    return static_cast<std::uint32_t>(times / block_bits * block_bits);
}

[[gnu::always_inline]] inline std::uint32_t count(std::uint64_t word)
{
    return static_cast<std::uint32_t>(std::popcount(word));
}

[[gnu::always_inline]] inline std::uint64_t below(std::uint32_t time)
{
    return (std::uint64_t{1} << (time % bits_in_word)) - 1;
}

} // namespace

// What counts bits is always inlined, so that it comes into the clones.

StackDistanceCounter::StackDistanceCounter(std::int64_t line_count)
    : last_use_(line_count), line_count_(line_count), times_(times_for(line_count)),
      marks_(times_ / bits_in_word), tree_(times_ / block_bits + 1)
{}

[[gnu::always_inline]] inline std::uint32_t StackDistanceCounter::marks_in(std::size_t begin,
                                                                           std::size_t end) const
{
    std::uint32_t sum = 0;
    for (; begin < end; ++begin) {
        sum += count(marks_[begin]);
    }
    return sum;
}

// The Fenwick tree is counted from 1; i & (~i + 1) is the lowest bit of i.
[[gnu::always_inline]] inline void StackDistanceCounter::add_to_block(std::size_t block,
                                                                      std::uint32_t amount)
{
    for (std::size_t i = block + 1; i < tree_.size(); i += i & (~i + 1)) {
        tree_[i] += amount; // modulo 2^32, so that the amount may be -1
    }
}

[[gnu::always_inline]] inline std::uint32_t
StackDistanceCounter::marks_below_block(std::size_t block) const
{
    std::uint32_t sum = 0;
    for (; block > 0; block &= block - 1) {
        sum += tree_[block];
    }
    return sum;
}

// Blocks enter the tree when the present is so far ahead that their marks seldom change.
[[gnu::always_inline]] inline void StackDistanceCounter::complete_blocks()
{
    for (; complete_ + open_blocks < now_ / block_bits; ++complete_) {
        const std::size_t first = std::size_t{complete_} * block_words;
        add_to_block(complete_, marks_in(first, first + block_words));
    }
}

TEXELSCOPE_POPCOUNT_CLONES
// When all times are used up, times are numbered anew: the marks that are left move to the front,
// in the same order.
void StackDistanceCounter::compact()
{
    std::vector<std::uint32_t> before(times_ / block_bits); // marks before each block
    std::uint32_t sum = 0;
    for (std::size_t block = 0; block < before.size(); ++block) {
        before[block] = sum;
        sum += marks_in(block * block_words, (block + 1) * block_words);
    }
    for (std::int64_t line = 0; line < line_count_; ++line) {
        std::uint32_t& use = last_use_[line];
        if (use > 0) {
            const std::uint32_t time = use - 1;
            const std::uint32_t block = time / block_bits;
            const std::uint32_t word = time / bits_in_word;
            use = before[block] + marks_in(std::size_t{block} * block_words, word) +
                  count(marks_[word] & below(time)) + 1;
        }
    }
    now_ = used_;
    for (std::size_t word = 0; word < marks_.size(); ++word) {
        marks_[word] = word < now_ / bits_in_word    ? ~std::uint64_t{0}
                       : word == now_ / bits_in_word ? below(now_)
                                                     : 0;
    }
    std::fill_n(&tree_[0], tree_.size(), 0);
    complete_ = 0;
    thinned_block_ = 0;
    gone_ = 0;
    far_word_ = 0;
    behind_far_ = used_;
    complete_blocks();
}

// The distance of a line whose last use was at `time`; takes its mark away. Near marks are counted
// word by word; others by the tree, or from the far mark that was counted last, if that is near.
[[gnu::always_inline]] inline std::uint32_t StackDistanceCounter::distance_from(std::uint32_t time)
{
    const std::uint32_t word = time / bits_in_word;
    const std::uint32_t present = now_ / bits_in_word;
    const std::uint64_t checkpoints = marks_[word];
    std::uint32_t distance = 0; // and 1 for the mark itself
    if (present - word < near_words) {
        distance = count(checkpoints >> (time % bits_in_word)) + marks_in(word + 1, present + 1);
    } else {
        std::uint32_t behind = 0; // from the word on
        if (word - far_word_ < step_words) {
            behind = behind_far_ - marks_in(far_word_, word);
        } else {
            const std::uint32_t block = std::min(word / block_words, complete_);
            behind = used_ - marks_below_block(block) - (thinned_block_ < block ? gone_ : 0) -
                     marks_in(std::size_t{block} * block_words, word);
        }
        far_word_ = word;
        behind_far_ = behind;
        distance = behind - count(checkpoints & below(time));
    }
    marks_[word] = checkpoints & ~(std::uint64_t{1} << (time % bits_in_word));
    if (word / block_words < complete_) {
        if (word / block_words != thinned_block_) { // far marks often go one after the other
            add_to_block(thinned_block_, gone_);
            thinned_block_ = word / block_words;
            gone_ = 0;
        }
        --gone_;
    }
    behind_far_ -= word >= far_word_ ? 1 : 0;
    return distance - 1;
}

[[gnu::always_inline]] inline std::uint32_t StackDistanceCounter::look_up_other(std::uint32_t line)
{
    std::uint32_t& use = last_use_[line];
    std::uint32_t distance = never;
    if (use == 0) {
        if (++used_ > counts_.size()) {
            counts_.resize(std::max<std::size_t>(1024, 2 * counts_.size()), 0);
        }
    } else {
        distance = distance_from(use - 1);
        ++counts_[distance];
    }
    marks_[now_ / bits_in_word] |= std::uint64_t{1} << (now_ % bits_in_word);
    ++behind_far_;
    use = ++now_;
    return distance;
}

[[gnu::always_inline]] inline std::uint32_t StackDistanceCounter::look_up(std::int64_t line)
{
    // The same line twice in a row is the most frequent case, and changes no mark.
    if (line == previous_) {
        ++repeats_;
        return 0;
    }
    previous_ = line;
    if (now_ % block_bits == 0) {
        if (now_ == times_) {
            compact();
        }
        complete_blocks();
    }
    return look_up_other(static_cast<std::uint32_t>(line));
}

TEXELSCOPE_POPCOUNT_CLONES
void StackDistanceCounter::access_all(const LineList& lines)
{
    for (const std::int32_t delta : lines.deltas) {
        (void)look_up(lines.first + delta);
    }
}

std::optional<std::int64_t> StackDistanceCounter::access(std::int64_t line)
{
    const std::uint32_t distance = look_up(line);
    return distance == never ? std::nullopt : std::optional<std::int64_t>(distance);
}

ReuseDistanceHistogram StackDistanceCounter::histogram() const
{
    ReuseDistanceHistogram histogram;
    histogram.counts = counts_;
    if (repeats_ > 0) {
        histogram.counts.resize(std::max<std::size_t>(1, counts_.size()), 0);
        histogram.counts.front() += repeats_;
    }
    const auto last = std::find_if(histogram.counts.rbegin(), histogram.counts.rend(),
                                   [](auto n) { return n > 0; });
    histogram.counts.erase(last.base(), histogram.counts.end());
    histogram.first_touches = used_;
    return histogram;
}

} // namespace texelscope::sim
