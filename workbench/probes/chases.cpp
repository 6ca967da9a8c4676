#include "workbench/probes/chases.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::workbench::probes {

namespace {

/// How far apart texels lie that are read.
struct Spacing {
    Extent2D cell; ///< of each at most one is read
    /// So many times the cells that are read, which are to fall anywhere.
    std::int64_t more = 16;
    std::int64_t least_texels = 512 * 512; ///< of the smallest image
};

/// The cells of a chase. On a GPU they are squares, in which a line lies whatever the storage
/// layout, or as many elements in a row. A CPU's lines are known to lie within 128 B; larger cells
/// would spread over so many pages that the chase would measure address translation.
Spacing spacing(MemorySpace memory, const TargetInfo& info)
{
    if (memory == MemorySpace::image) {
        return {{8, 8}};
    }
    return info.cpu ? Spacing{{8, 1}, 2, 1024} : Spacing{{64, 1}};
}

CellGrid largest_grid(MemorySpace memory, std::int64_t bytes, const TargetInfo& info)
{
    const Extent2D cell = spacing(memory, info).cell;
    if (memory == MemorySpace::image) {
        return {square_image(bytes, info.largest_image), cell};
    }
    constexpr std::int32_t unlimited = std::int32_t{1} << 30;
    return {{static_cast<std::int32_t>(square_image(bytes, {unlimited, unlimited}).area()), 1},
            cell};
}

} // namespace

ScatteredChases::ScatteredChases(Target& target, MemorySpace memory, const ProbeOptions& options)
    : target_(target), memory_(memory), options_(options),
      grid_(largest_grid(memory, options.largest_image, target.info())), random_(options.seed)
{}

int ScatteredChases::passes(std::int64_t count) const
{
    // One launch has to take much longer than the grain of the clock and the start of a kernel: a
    // CPU reads in a nanosecond or two, and starts a kernel in microseconds. A simulated clock has
    // no grain.
    const TargetInfo& info = target_.info();
    const std::int64_t reads = info.simulated ? 256 : info.cpu ? std::int64_t{1} << 19 : 4096;
    return static_cast<int>(std::max<std::int64_t>(1, (reads + count - 1) / count));
}

bool ScatteredChases::grow()
{
    const std::int64_t bytes = 4 * grid_.extent.area() * texel_bytes(TexelType::fp32);
    const TargetInfo& info = target_.info();
    const CellGrid larger = largest_grid(memory_, bytes, info);
    // Half of what the device gives: memory is filled from another that is as large.
    if (bytes > options_.largest_chase || bytes > info.largest_allocation / 2 ||
        larger.extent.area() <= grid_.extent.area()) {
        return false;
    }
    grid_ = larger;
    return true;
}

/// Fewer texels are quicker to make.
CellGrid ScatteredChases::grid_for(std::int64_t count) const
{
    const Spacing apart = spacing(memory_, target_.info());
    const auto smaller = [](CellGrid grid) {
        grid.extent.width /= 2;
        grid.extent.height = std::max(1, grid.extent.height / 2);
        return grid;
    };
    CellGrid grid = grid_;
    while (smaller(grid).extent.area() >= apart.least_texels &&
           smaller(grid).cells() >= apart.more * count) {
        grid = smaller(grid);
    }
    return grid;
}

std::vector<double> ScatteredChases::measure(const CellGrid& grid, std::vector<Texel> walk)
{
    check_stop(options_.stop);
    Chase chase;
    chase.memory = memory_;
    chase.extent = grid.extent;
    chase.passes = passes(std::ssize(walk));
    chase.walk = std::move(walk);
    chase.warm_passes = warm_passes;
    return target_.chase(chase, options_.samples);
}

std::vector<double> ScatteredChases::round(std::int64_t count, int draws)
{
    const CellGrid grid = grid_for(count);
    std::vector<double> samples;
    for (int draw = 0; draw < draws; ++draw) {
        const std::vector<double> more = measure(grid, scattered(grid, count, false, random_));
        samples.insert(samples.end(), more.begin(), more.end());
    }
    return samples;
}

// In each cell a random block of `block` texels, of which two texels are read: its corner, and the
// one `stride` away.
std::vector<double> ScatteredChases::blocks(std::int64_t count, Extent2D block, Texel stride)
{
    const CellGrid grid = grid_for(count);
    const auto some = [&](std::int32_t side, std::int32_t of) {
        return side * static_cast<std::int32_t>(
                          uniform_below(random_, static_cast<std::uint64_t>(of / side)));
    };
    std::vector<Texel> walk;
    for (const Texel corner : scattered(grid, count, true, random_)) {
        const std::int32_t x = corner.x + some(block.width, grid.cell.width);
        const std::int32_t y = corner.y + some(block.height, grid.cell.height);
        walk.push_back({x, y});
        walk.push_back({x + stride.x, y + stride.y});
    }
    return measure(grid, std::move(walk));
}

std::vector<double> ScatteredChases::pairs(std::int64_t count, Texel stride)
{
    const CellGrid grid = grid_for(count);
    std::vector<Texel> walk;
    for (const Texel corner : scattered(grid, count, true, random_)) {
        walk.push_back(corner);
        walk.push_back({corner.x + stride.x, corner.y + stride.y});
    }
    return measure(grid, std::move(walk));
}

std::vector<double> ScatteredChases::corners(std::int64_t count)
{
    const CellGrid grid = grid_for(count);
    return measure(grid, scattered(grid, count, true, random_));
}

std::vector<double> ScatteredChases::same_texel()
{
    return measure(grid_for(1), {{0, 0}});
}

// The mean over the draws of the medians of each draw's samples: noise is taken out within a draw,
// while draws differ by the sets that their lines fall into.
double mean_of_draws(const std::vector<double>& samples, int draws)
{
    const std::size_t each = samples.size() / static_cast<std::size_t>(draws);
    double sum = 0;
    for (auto from = samples.begin(); from != samples.end();
         from += static_cast<std::ptrdiff_t>(each)) {
        sum += median(std::vector<double>(from, from + static_cast<std::ptrdiff_t>(each)));
    }
    return sum / draws;
}

} // namespace texelscope::workbench::probes
