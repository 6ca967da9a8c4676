#include "sim/observers/cross_block_histogram.hpp"

#include <array>
#include <bit>

namespace texelscope::sim {
namespace {

/// How often one coordinate leaves its block from one texel to the next, for blocks of any side.
class Crossings {
public:
    Crossings(std::span<const Texel> texels, std::int32_t Texel::*coordinate)
        : texels_(texels), coordinate_(coordinate)
    {
        // floor(a / 2^k) and floor(b / 2^k) differ just where a and b differ in a bit from number k
        // on.
        for (std::size_t i = 1; i < texels.size(); ++i) {
            const auto differing =
                static_cast<std::uint32_t>(texels[i].*coordinate ^ texels[i - 1].*coordinate);
            ++by_highest_bit_[static_cast<std::size_t>(std::bit_width(differing))];
        }
    }

    // Sides that are powers of two are looked up; others are counted pair by pair.
    [[nodiscard]] std::int64_t of(std::int32_t side) const
    {
        std::int64_t count = 0;
        if (std::has_single_bit(static_cast<std::uint32_t>(side))) {
            for (auto bits =
                     static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(side)));
                 bits < by_highest_bit_.size(); ++bits) {
                count += by_highest_bit_[bits];
            }
            return count;
        }
        for (std::size_t i = 1; i < texels_.size(); ++i) {
            count += floor_div(texels_[i].*coordinate_, side) !=
                             floor_div(texels_[i - 1].*coordinate_, side)
                         ? 1
                         : 0;
        }
        return count;
    }

private:
    std::span<const Texel> texels_;
    std::int32_t Texel::*coordinate_;
    /// Pairs by the bit width of their exclusive or.
    std::array<std::int64_t, 33> by_highest_bit_{};
};

} // namespace

const std::vector<Extent2D>& default_block_shapes()
{
    static const std::vector<Extent2D> shapes{{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}, {32, 32},
                                              {2, 1}, {4, 1}, {8, 1}, {1, 2}, {1, 4},   {1, 8}};
    return shapes;
}

CrossBlockHistogram cross_block_histogram(std::span<const Texel> texels,
                                          std::span<const Extent2D> shapes)
{
    CrossBlockHistogram histogram;
    histogram.accesses = static_cast<std::int64_t>(texels.size());
    const Crossings x(texels, &Texel::x);
    const Crossings y(texels, &Texel::y);
    for (const Extent2D shape : shapes) {
        histogram.bins.push_back({shape, x.of(shape.width), y.of(shape.height)});
    }
    return histogram;
}

} // namespace texelscope::sim
