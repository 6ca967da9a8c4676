#include "workbench/probes/line_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::workbench::probes {

LineShape::LineShape(ScatteredChases& chases, std::int64_t count, double hit, double next)
    : chases_(chases), count_(count), hit_(hit), next_(next), alone_(median(chases.corners(count)))
{}

// `pair`: samples of a chase in which each texel is followed by its partner.
bool LineShape::shares(const std::vector<double>& pair) const
{
    // A pair takes (alone + hit) / 2 a read in one line, at least (alone + next) / 2 in two.
    return median(pair) < (alone_ + (hit_ + next_) / 2) / 2;
}

bool LineShape::shares(Texel stride)
{
    return shares(chases_.pairs(count_, stride));
}

std::int32_t LineShape::side(bool along_x, std::int32_t least, const std::string& level)
{
    ProbeCurve curve{fmt::format("pairs in a {}, {}", along_x ? "row" : "column", level),
                     chases_.unit() + " from the first of a pair to the second",
                     "latency [ns per read of the pair]"};
    const std::int32_t widest = along_x ? chases_.grid().cell.width : chases_.grid().cell.height;
    // Every distance is nice to see; those before powers of two decide, and alone are measured
    // where a chase takes long.
    constexpr std::int64_t short_chase = 16384;
    for (std::int32_t apart = 1; apart < widest; apart += count_ <= short_chase ? 1 : apart + 1) {
        curve.points.push_back(
            {static_cast<double>(apart),
             chases_.pairs(count_, along_x ? Texel{apart, 0} : Texel{0, apart})});
    }
    if (curve.points.empty()) { // a buffer has no columns
        return least;
    }
    std::int32_t side = least;
    // Lines have sides that are powers of two. While the last texel of a line twice as wide still
    // shares the line of the first, the line is at least that wide.
    for (const ProbePoint& point : curve.points) {
        if (static_cast<std::int32_t>(point.x) == 2 * side - 1 && shares(point.samples)) {
            side *= 2;
        }
    }
    curve.marks.push_back(
        {side - 0.5, double(side - 1), double(2 * side - 1), fmt::format("line of {}", side)});
    curves_.push_back(std::move(curve));
    return side;
}

Extent2D tagged_block(ScatteredChases& chases, const CacheFit& fit, Extent2D fetched)
{
    // If blocks of twice the size share a tag, a chase over `count` blocks needs `count` tags and
    // mostly hits; if not, it needs twice as many, which is more than the cache has.
    const SetMisses set(fit.cache.ways, fit.cache.replacement);
    const std::int64_t count = std::max<std::int64_t>(1, fit.cache.lines() * 3 / 4);
    if (2 * count > chases.grid().cells()) {
        return fetched;
    }
    const auto expected = [&](std::int64_t lines) {
        const ChasePoint chase{lines, ScatteredChases::warm_passes, 1, 1};
        return fit.hit_ns + (fit.miss_ns - fit.hit_ns) * miss_share(fit.cache.sets, set, chase);
    };
    const double between = (expected(count) + expected(2 * count)) / 2;
    const auto together = [&](Extent2D block, Texel stride) {
        return median(chases.blocks(count, block, stride)) < between;
    };
    Extent2D block = fetched;
    while (2 * block.width <= chases.grid().cell.width &&
           together({2 * block.width, block.height}, {block.width, 0})) {
        block.width *= 2;
    }
    while (2 * block.height <= chases.grid().cell.height &&
           together({block.width, 2 * block.height}, {0, block.height})) {
        block.height *= 2;
    }
    return block;
}

} // namespace texelscope::workbench::probes
