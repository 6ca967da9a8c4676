// A set of numbers as bits of words, of which only the words between the lowest and the highest
// member are there. It holds which lines of memory a launch has touched; jumps insert moved copies
// of such sets, whole words at a time.

#include "sim/layout/bit_field.hpp"

#include <algorithm>
#include <bit>

namespace texelscope::sim {
namespace {

constexpr std::int64_t word_bits = 64;

} // namespace

void BitField::cover(std::int64_t first, std::int64_t last)
{
    const auto size = static_cast<std::int64_t>(words_.size());
    if (size > 0 && first >= first_ && last < first_ + size) {
        return;
    }
    // Half as much again on the side that grows, so that growing word by word costs constant time
    // for each.
    const std::int64_t spare = size / 2;
    std::int64_t begin = first;
    std::int64_t end = last + 1;
    if (size > 0) {
        begin = first < first_ ? std::max<std::int64_t>(0, first - spare) : first_;
        end = last >= first_ + size ? last + 1 + spare : first_ + size;
    }
    std::vector<std::uint64_t> grown(static_cast<std::size_t>(end - begin), 0);
    if (size > 0) {
        std::copy(words_.begin(), words_.end(), grown.begin() + (first_ - begin));
    }
    first_ = begin;
    words_ = std::move(grown);
}

// Inserts first + delta for each of the deltas.
void BitField::insert(std::int64_t first, std::span<const std::int32_t> deltas)
{
    if (deltas.empty()) {
        return;
    }
    std::int32_t least = deltas.front();
    std::int32_t most = deltas.front();
    for (const std::int32_t delta : deltas) {
        least = std::min(least, delta);
        most = std::max(most, delta);
    }
    cover((first + least) / word_bits, (first + most) / word_bits);
    std::uint64_t* const words = words_.data();
    const std::int64_t offset = first - first_ * word_bits;
    for (const std::int32_t delta : deltas) {
        const auto bit = static_cast<std::uint64_t>(offset + delta);
        words[bit / 64] |= std::uint64_t{1} << bit % 64;
    }
}

void BitField::insert_shifted(const BitField& other, std::int64_t distance)
{
    // floor and remainder of a distance that may be negative
    const int bits = static_cast<int>(((distance % word_bits) + word_bits) % word_bits);
    const std::int64_t words = (distance - bits) / word_bits;
    auto begin = other.words_.begin();
    auto end = other.words_.end();
    while (begin != end && *begin == 0) {
        ++begin;
    }
    while (begin != end && *(end - 1) == 0) {
        --end;
    }
    if (begin == end) {
        return;
    }
    const std::int64_t first = other.first_ + (begin - other.words_.begin()) + words;
    const std::vector<std::uint64_t> source(begin, end); // `other` may be this field
    const bool spills = bits != 0 && source.back() >> (word_bits - bits) != 0;
    const auto size = static_cast<std::int64_t>(source.size());
    // The lowest bits may leave the first word empty when a negative distance crosses a word.
    const bool starts_late = bits != 0 && (source.front() << bits) == 0;
    cover(first + (starts_late ? 1 : 0), first + size - 1 + (spills ? 1 : 0));
    const std::int64_t offset = first - first_;
    std::uint64_t carry = 0;
    // Each word of the source falls into two words of this field, unless the distance is a multiple
    // of the word.
    for (std::int64_t i = 0; i < size; ++i) {
        const std::uint64_t word = source[static_cast<std::size_t>(i)];
        const std::uint64_t moved = (bits == 0 ? word : word << bits) | carry;
        carry = bits == 0 ? 0 : word >> (word_bits - bits);
        if (moved != 0) {
            words_[static_cast<std::size_t>(offset + i)] |= moved;
        }
    }
    if (carry != 0) {
        words_[static_cast<std::size_t>(offset + size)] |= carry;
    }
}

void BitField::insert_repeated(const BitField& other, std::int64_t distance, std::int64_t times)
{
    if (times <= 0) {
        return;
    }
    if (distance == 0) {
        insert_shifted(other, 0);
        return;
    }
    // The union of n copies, doubled until it is that of `times` copies: copies may overlap.
    BitField copies;
    copies.insert_shifted(other, distance);
    for (std::int64_t done = 1; done < times;) {
        const std::int64_t step = std::min(done, times - done);
        copies.insert_shifted(copies, step * distance);
        done += step;
    }
    insert_shifted(copies, 0);
}

bool BitField::contains(std::int64_t number) const
{
    const std::int64_t word = number / word_bits - first_;
    return number >= 0 && word >= 0 && word < static_cast<std::int64_t>(words_.size()) &&
           (words_[static_cast<std::size_t>(word)] >> (number % word_bits) & 1) != 0;
}

std::int64_t BitField::count() const
{
    std::int64_t sum = 0;
    for (const std::uint64_t word : words_) {
        sum += std::popcount(word);
    }
    return sum;
}

// Each member times numerator / denominator, rounded down: granules become lines, for example.
BitField BitField::scaled(std::int64_t numerator, std::int64_t denominator) const
{
    BitField result;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
            const std::int64_t number =
                (first_ + static_cast<std::int64_t>(i)) * word_bits + std::countr_zero(word);
            result.insert(number * numerator / denominator);
        }
    }
    return result;
}

} // namespace texelscope::sim
