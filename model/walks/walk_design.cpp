#include "model/walks/walk_design.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "model/walks/stride_walk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace texelscope::model {
namespace {

/// A power of two from 1 to `most`, each exponent as likely.
std::int32_t draw_power(std::mt19937_64& random, std::int32_t most)
{
    const auto scales =
        static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint32_t>(std::max(most, 1))));
    return std::int32_t{1} << static_cast<int>(uniform_below(random, scales));
}

/// From 1 to `most`, uniform in its logarithm.
std::int64_t draw_size(std::mt19937_64& random, std::int64_t most)
{
    const double size = std::exp(uniform_real(random) * std::log(static_cast<double>(most) + 1));
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(size), 1, most);
}

std::int32_t draw_origin(std::mt19937_64& random, std::int32_t side, std::int32_t count,
                         std::int32_t stride)
{
    const std::int32_t free = side - (count - 1) * stride;
    return static_cast<std::int32_t>(uniform_below(random, static_cast<std::uint64_t>(free)));
}

Lattice draw_lattice(std::mt19937_64& random, const WalkDesign& design)
{
    const std::int64_t most = std::min({design.most_texels, design.extent.area(), design.steps});
    const std::int64_t texels = std::max<std::int64_t>(2, draw_size(random, most));
    const std::uint64_t direction = uniform_below(random, 3); // along x, along y, along both
    std::int64_t columns = direction == 0 ? texels : direction == 1 ? 1 : draw_size(random, texels);
    columns = std::clamp<std::int64_t>(columns, 1, design.extent.width);
    const std::int64_t rows = std::clamp<std::int64_t>(texels / columns, 1, design.extent.height);

    Lattice lattice;
    lattice.columns = static_cast<std::int32_t>(columns);
    lattice.rows = static_cast<std::int32_t>(rows);
    // A stride along the side that is not walked would mean nothing.
    lattice.stride_x =
        columns > 1 ? draw_power(random, (design.extent.width - 1) / (lattice.columns - 1)) : 1;
    lattice.stride_y =
        rows > 1 ? draw_power(random, (design.extent.height - 1) / (lattice.rows - 1)) : 1;
    lattice.origin = {draw_origin(random, design.extent.width, lattice.columns, lattice.stride_x),
                      draw_origin(random, design.extent.height, lattice.rows, lattice.stride_y)};
    constexpr Lattice::Order orders[] = {Lattice::Order::rows_first, Lattice::Order::columns_first,
                                         Lattice::Order::random, Lattice::Order::random};
    lattice.order = orders[uniform_below(random, std::size(orders))];
    return lattice;
}

} // namespace

std::vector<Texel> lattice_walk(std::mt19937_64& random, const Lattice& lattice, std::int64_t steps)
{
    const std::int64_t texels = std::int64_t{lattice.columns} * lattice.rows;
    std::vector<Texel> walk;
    for (std::int64_t step = 0; step < steps; ++step) {
        const bool drawn = lattice.order == Lattice::Order::random;
        const auto place = drawn ? static_cast<std::int64_t>(
                                       uniform_below(random, static_cast<std::uint64_t>(texels)))
                                 : step % texels;
        const bool down = lattice.order == Lattice::Order::columns_first;
        const auto column =
            static_cast<std::int32_t>(down ? place / lattice.rows : place % lattice.columns);
        const auto row =
            static_cast<std::int32_t>(down ? place % lattice.rows : place / lattice.columns);
        walk.push_back({lattice.origin.x + column * lattice.stride_x,
                        lattice.origin.y + row * lattice.stride_y});
    }
    return walk;
}

std::vector<TexelWalk> design_walks(std::mt19937_64& random, const WalkDesign& design,
                                    std::size_t count, std::int64_t first_number)
{
    if (design.extent.width <= 0 || design.extent.height <= 0 || design.steps < 2 ||
        design.most_texels < 2) {
        throw bad_input("an empty image, or fewer than two steps or texels", "design of the walks");
    }
    std::vector<TexelWalk> walks;
    for (std::size_t i = 0; i < count; ++i) {
        TexelWalk next{first_number + static_cast<std::int64_t>(i), {}};
        if (i % 4 == 0) {
            const StrideDistribution strides = draw_distribution(random, {.wandering = 0.5});
            next.texels = walk(random, strides, design.extent, design.steps);
        } else {
            next.texels = lattice_walk(random, draw_lattice(random, design), design.steps);
        }
        walks.push_back(std::move(next));
    }
    return walks;
}

} // namespace texelscope::model
