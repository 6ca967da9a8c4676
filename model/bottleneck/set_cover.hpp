#pragma once

#include <array>
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

    void set(std::size_t bit)
    {
        const std::uint64_t one = std::uint64_t{1} << bit % 64;
        count_ += (words_[bit / 64] & one) == 0 ? 1U : 0U;
        words_[bit / 64] |= one;
    }
    [[nodiscard]] std::size_t count() const { return count_; }
    friend SetCover sums(const SetCover& a, const SetCover& b, std::size_t bits);

    bool operator==(const SetCover&) const = default;

private:
    std::array<std::uint64_t, most / 64> words_{};
    /// Of bits that are set: it is asked for far more often than they change.
    std::uint32_t count_ = 0;
};

/// All sums of a bit of the one and one of the other, round the end of `bits`.
[[nodiscard]] SetCover sums(const SetCover& a, const SetCover& b, std::size_t bits);

} // namespace texelscope::model
