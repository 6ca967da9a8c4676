#include "model/walks/stride_walk.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "traces/index/index_expr.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace texelscope::model {
namespace {

/// 0 where the walk does not go along this axis.
std::int32_t draw_reach(std::mt19937_64& random, bool along, int max_stride)
{
    const auto scales =
        static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(max_stride)));
    const auto scale = static_cast<int>(uniform_below(random, scales));
    return along ? std::int32_t{1} << scale : 0;
}

std::int32_t draw_component(std::mt19937_64& random, std::int32_t reach, bool either_way)
{
    const auto size =
        static_cast<std::int32_t>(uniform_below(random, static_cast<std::uint64_t>(reach) + 1));
    return either_way && uniform_below(random, 2) == 1 ? -size : size;
}

/// Gaps between sorted uniform cuts of [0, 1].
std::vector<double> draw_probabilities(std::mt19937_64& random, std::size_t count)
{
    std::vector<double> cuts(count - 1);
    std::generate(cuts.begin(), cuts.end(), [&] { return uniform_real(random); });
    std::sort(cuts.begin(), cuts.end());
    cuts.push_back(1);
    std::vector<double> probabilities(count);
    std::adjacent_difference(cuts.begin(), cuts.end(), probabilities.begin());
    return probabilities;
}

Stride pick(std::mt19937_64& random, const StrideDistribution& distribution)
{
    const double at = uniform_real(random);
    double below = 0;
    for (std::size_t i = 0; i + 1 < distribution.strides.size(); ++i) {
        below += distribution.probabilities[i];
        if (at < below) {
            return distribution.strides[i];
        }
    }
    return distribution.strides.back();
}

} // namespace

void validate(const StrideChoice& choice)
{
    if (choice.most_strides < 1) {
        throw bad_input("a walk needs at least one stride", "strides of the walks");
    }
    if (choice.max_stride < 1 || !std::has_single_bit(static_cast<unsigned>(choice.max_stride)) ||
        choice.max_stride > (1 << 20)) {
        throw bad_input("the largest stride is not a power of two up to 2^20",
                        "strides of the walks");
    }
    if (!(choice.wandering >= 0 && choice.wandering <= 1)) {
        throw bad_input("the share of wandering walks is not in [0, 1]", "strides of the walks");
    }
}

StrideDistribution draw_distribution(std::mt19937_64& random, const StrideChoice& choice)
{
    validate(choice);
    const std::size_t count = 1 + static_cast<std::size_t>(uniform_below(
                                      random, static_cast<std::uint64_t>(choice.most_strides)));
    const std::uint64_t direction = uniform_below(random, 3); // along x, along y, along both
    const std::int32_t reach_x = draw_reach(random, direction != 1, choice.max_stride);
    const std::int32_t reach_y = draw_reach(random, direction != 0, choice.max_stride);
    const bool either_way = uniform_real(random) < choice.wandering;

    StrideDistribution distribution;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t dx = draw_component(random, reach_x, either_way);
        const std::int32_t dy = draw_component(random, reach_y, either_way);
        distribution.strides.push_back({dx, dy});
    }
    distribution.probabilities = draw_probabilities(random, count);
    return distribution;
}

std::vector<Texel> walk(std::mt19937_64& random, const StrideDistribution& distribution,
                        Extent2D extent, std::int64_t steps)
{
    if (extent.width <= 0 || extent.height <= 0 || steps < 2 || distribution.strides.empty()) {
        throw bad_input("an empty image, no stride, or fewer than two steps", "walk");
    }
    std::vector<Texel> texels;
    texels.reserve(static_cast<std::size_t>(steps));
    Texel at{
        static_cast<std::int32_t>(uniform_below(random, static_cast<std::uint64_t>(extent.width))),
        static_cast<std::int32_t>(
            uniform_below(random, static_cast<std::uint64_t>(extent.height)))};
    for (std::int64_t step = 0; step < steps; ++step) {
        texels.push_back(at);
        const Stride stride = pick(random, distribution);
        at.x = static_cast<std::int32_t>(floor_mod(std::int64_t{at.x} + stride.dx, extent.width));
        at.y = static_cast<std::int32_t>(floor_mod(std::int64_t{at.y} + stride.dy, extent.height));
    }
    return texels;
}

} // namespace texelscope::model
