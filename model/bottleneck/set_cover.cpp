#include "model/bottleneck/set_cover.hpp"

#include <bit>

namespace texelscope::model {

SetCover sums(const SetCover& a, const SetCover& b, std::size_t bits)
{
    const bool more = a.count() > b.count();
    const SetCover& many = more ? a : b;
    const SetCover& few = more ? b : a;
    if (few.count_ == 1 && (few.words_[0] & 1) != 0) { // the first alone
        return many;
    }
    // For each bit j of `few`, this adds `many` rotated by j within `bits` bits. Rotation is one
    // shift if `many` is laid down twice in a row: the `bits` bits from bit (bits - j) on are
    // `many` rotated by j. `bits` is at most SetCover::most.
    std::array<std::uint64_t, 2 * SetCover::most / 64 + 2> twice{};
    const auto put = [&](std::size_t at) {
        for (std::size_t w = 0; w < many.words_.size(); ++w) {
            twice[w + at / 64] |= many.words_[w] << at % 64;
            twice[w + at / 64 + 1] |= at % 64 == 0 ? 0 : many.words_[w] >> (64 - at % 64);
        }
    };
    put(0);
    put(bits);
    const std::size_t words = (bits + 63) / 64;
    SetCover sums;
    for (std::size_t word = 0; word < words; ++word) {
        for (std::uint64_t left = few.words_[word]; left != 0; left &= left - 1) {
            const std::size_t at =
                bits - (64 * word + static_cast<std::size_t>(std::countr_zero(left)));
            for (std::size_t w = 0; w < words; ++w) {
                const std::uint64_t low = twice[w + at / 64] >> at % 64;
                sums.words_[w] |=
                    at % 64 == 0 ? low : low | twice[w + at / 64 + 1] << (64 - at % 64);
            }
        }
    }
    if (bits % 64 != 0) {
        sums.words_[words - 1] &= (std::uint64_t{1} << bits % 64) - 1;
    }
    for (const std::uint64_t word : sums.words_) {
        sums.count_ += static_cast<std::uint32_t>(std::popcount(word));
    }
    return sums;
}

} // namespace texelscope::model
