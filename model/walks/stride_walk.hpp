#pragma once

#include "traces/image.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace texelscope::model {

/// A two-dimensional stride, in texels.
struct Stride {
    std::int32_t dx = 0;
    std::int32_t dy = 0;

    auto operator<=>(const Stride&) const = default;
};

/// Strides and how likely each is: the multinomial distribution of one walk (TMModel 3.1, step I).
/// The probabilities are not negative and add up to 1.
struct StrideDistribution {
    std::vector<Stride> strides;
    std::vector<double> probabilities;
};

/// What the distributions of the walks are drawn from. The paper gives one example, strides 1 to 4
/// with given probabilities, and no rule for drawing them; the rule here is draw_distribution()'s.
struct StrideChoice {
    int most_strides = 6; ///< distinct strides of one walk
    /// Texels along x and along y; a power of two. As large as the largest assumed block.
    int max_stride = 32;
    /// Share of the walks whose strides go back as well as forth. The paper's go forth only.
    double wandering = 0;
};

/// Throws bad_input where a number is out of range.
void validate(const StrideChoice& choice);

/// Draws a distribution: 1 .. most_strides strides; the walk goes along x, along y, or along both,
/// each a third of the time; along each of these axes its reach is 1, 2, 4, .. max_stride, each as
/// likely as the other, and the strides are uniform in [0, reach], so that every scale of block is
/// crossed seldom by some walks and always by others. Strides of zero stay in: they show the
/// latency of an access that leaves no block. In a wandering walk each component is negative half
/// of the time. The probabilities are uniform over the simplex.
[[nodiscard]] StrideDistribution draw_distribution(std::mt19937_64& random,
                                                   const StrideChoice& choice);

/// A walk of `steps` texels with strides drawn from the distribution, from a random texel of the
/// image, wrapping around its edges (step II without the device). Throws bad_input for an empty
/// image or fewer than two steps.
[[nodiscard]] std::vector<Texel> walk(std::mt19937_64& random,
                                      const StrideDistribution& distribution, Extent2D extent,
                                      std::int64_t steps);

} // namespace texelscope::model
