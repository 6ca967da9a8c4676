#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace texelscope::model {

/// A subset of the sets of a cache, counted from some set that stands for the origin: bit i is the
/// set that lies i sets behind the origin. It says on which sets a group of lines falls without
/// saying where in memory the group begins.
class SetCover {
public:
    static constexpr std::size_t most = 256;

    SetCover() = default;
    /// The subset of the origin alone.
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
    /// Number of bits that are set. It is stored because it is asked for far more often than bits
    /// change.
    std::uint32_t count_ = 0;
};

/// The subset of all (i + j) modulo `bits`, for every bit i of `a` and every bit j of `b`. If `a`
/// says where work-items begin and `b` what each of them touches from there, this is what all of
/// them touch.
[[nodiscard]] SetCover sums(const SetCover& a, const SetCover& b, std::size_t bits);

} // namespace texelscope::model
