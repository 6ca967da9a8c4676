#pragma once

#include "base/layers.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace texelscope::base {

// The standard fixes the output of std::mt19937_64, but not that of its distributions nor of
// std::shuffle. These few give the same numbers everywhere.

/// Uniform in [0, 1), a multiple of 2^-53.
[[nodiscard]] inline double uniform_real(std::mt19937_64& random)
{
    return static_cast<double>(random() >> 11U) * 0x1p-53;
}

/// Standard normal (Box and Muller 1958).
[[nodiscard]] inline double standard_normal(std::mt19937_64& random)
{
    const double radius = std::sqrt(-2 * std::log1p(-uniform_real(random)));
    return radius * std::cos(2 * std::numbers::pi * uniform_real(random));
}

/// Uniform in [0, count); `count` > 0.
[[nodiscard]] inline std::uint64_t uniform_below(std::mt19937_64& random, std::uint64_t count)
{
    // Values past the last whole multiple of `count` would favour the small results.
    const std::uint64_t whole = std::mt19937_64::max() - std::mt19937_64::max() % count;
    std::uint64_t value = random();
    while (value >= whole) {
        value = random();
    }
    return value % count;
}

/// 0 .. count-1 in random order.
[[nodiscard]] inline std::vector<std::size_t> shuffled_indices(std::mt19937_64& random,
                                                               std::size_t count)
{
    std::vector<std::size_t> indices(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    for (std::size_t left = count; left > 1; --left) {
        std::swap(indices[left - 1],
                  indices[static_cast<std::size_t>(uniform_below(random, left))]);
    }
    return indices;
}

} // namespace texelscope::base
