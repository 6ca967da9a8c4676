#include "workbench/probes/scattered.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "workbench/tuning/trial_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::workbench::probes {

// The largest square image, with a power of two as its side, of at most so many bytes (16 of a
// texel) within the limits of the device.
Extent2D square_image(std::int64_t bytes, Extent2D limits)
{
    constexpr std::int64_t texel_bytes = 16;
    std::int64_t side = 1;
    while (4 * side * side * texel_bytes <= bytes &&
           2 * side <= std::min(limits.width, limits.height)) {
        side *= 2;
    }
    return {static_cast<std::int32_t>(side), static_cast<std::int32_t>(side)};
}

std::vector<Texel> scattered(const CellGrid& grid, std::int64_t count, bool corner,
                             std::mt19937_64& random)
{
    const std::int64_t cells = grid.cells();
    if (count > cells) {
        throw bad_input(fmt::format("{} places of a grid of {}", count, cells), "chase",
                        "use a larger image");
    }
    DistinctDraws draws(cells);
    const std::int64_t across = grid.extent.width / grid.cell.width;
    const auto within = [&](std::int32_t side) {
        return corner ? 0
                      : static_cast<std::int32_t>(
                            uniform_below(random, static_cast<std::uint64_t>(side)));
    };
    std::vector<Texel> texels;
    texels.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t cell = draws.next(random).value();
        const auto x = static_cast<std::int32_t>(cell % across) * grid.cell.width;
        const auto y = static_cast<std::int32_t>(cell / across) * grid.cell.height;
        const std::int32_t dx = within(grid.cell.width);
        texels.push_back({x + dx, y + within(grid.cell.height)});
    }
    return texels;
}

} // namespace texelscope::workbench::probes
