#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// A set of non-negative integers as words of bits, from the first word in use to the last.
class BitField {
public:
    void insert(std::int64_t number)
    {
        const std::int64_t word = number / 64;
        if (word < first_ || word - first_ >= static_cast<std::int64_t>(words_.size())) {
            cover(word, word);
        }
        words_[static_cast<std::size_t>(word - first_)] |= std::uint64_t{1} << (number % 64);
    }
    /// Inserts first + delta for each of the deltas.
    void insert(std::int64_t first, std::span<const std::int32_t> deltas);
    /// Inserts n + distance for each number n of `other`; all sums must be >= 0.
    void insert_shifted(const BitField& other, std::int64_t distance);
    /// Inserts n + k * distance for each number n of `other` and each k from 1 to `times`.
    void insert_repeated(const BitField& other, std::int64_t distance, std::int64_t times);

    [[nodiscard]] bool contains(std::int64_t number) const;
    [[nodiscard]] std::int64_t count() const;
    /// The set of floor(n * numerator / denominator) for all numbers n.
    [[nodiscard]] BitField scaled(std::int64_t numerator, std::int64_t denominator) const;

private:
    /// Makes room for the words from `first` to `last`, both included.
    void cover(std::int64_t first, std::int64_t last);

    std::int64_t first_ = 0; ///< number of the first word
    std::vector<std::uint64_t> words_;
};

} // namespace texelscope::sim
