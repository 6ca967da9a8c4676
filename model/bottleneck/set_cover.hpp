#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace texelscope::model {

/// Some of the sets of a cache, relative to some set: bit i is what lies i sets further.
class SetCover {
public:
    static constexpr std::size_t most = 256;

    SetCover() = default;
    /// The first alone.
    static SetCover first()
    {
        SetCover cover;
        cover.set(0);
        return cover;
    }

    void set(std::size_t bit) { words_[bit / 64] |= std::uint64_t{1} << bit % 64; }
    [[nodiscard]] std::size_t count() const
    {
        int ones = 0;
        for (const std::uint64_t word : words_) {
            ones += std::popcount(word);
        }
        return static_cast<std::size_t>(ones);
    }
    friend SetCover sums(const SetCover& a, const SetCover& b, std::size_t bits);

    bool operator==(const SetCover&) const = default;

private:
    std::array<std::uint64_t, most / 64> words_{};
};

/// All sums of a bit of the one and one of the other, round the end of `bits`.
[[nodiscard]] SetCover sums(const SetCover& a, const SetCover& b, std::size_t bits);

} // namespace texelscope::model
