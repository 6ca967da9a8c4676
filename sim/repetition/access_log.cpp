// What was simulated since the last checkpoint, as a string of accesses with repetitions nested in
// it. From it follows how often a stretch may repeat before some lane crosses the image's edge, and
// which granules were touched in all.

#include "sim/repetition/access_log.hpp"

#include <algorithm>
#include <limits>

namespace texelscope::sim {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// How many steps keep the coordinates min to max in [0, extent), where they are now.
std::int64_t steps_inside(std::int64_t min, std::int64_t max, std::int64_t step,
                          std::int64_t extent)
{
    return step == 0 ? unlimited : step > 0 ? (extent - 1 - max) / step : min / -step;
}

/// How many steps keep the coordinate `at`, which is outside of [0, extent), on its side.
std::int64_t steps_outside(std::int64_t at, std::int64_t step, std::int64_t extent)
{
    if (at < 0) {
        return step <= 0 ? unlimited : (-1 - at) / step;
    }
    return step >= 0 ? unlimited : (at - extent) / -step;
}

bool inside(std::int64_t at, std::int64_t extent)
{
    return at >= 0 && at < extent;
}

/// How many steps keep one lane, which reads the texel `at`, doing the same to memory.
std::int64_t lane_steps(Texel at, Texel step, const StoredImage& image)
{
    const bool in_x = inside(at.x, image.extent.width);
    const bool in_y = inside(at.y, image.extent.height);
    const std::int64_t keep_x = steps_inside(at.x, at.x, step.x, image.extent.width);
    const std::int64_t keep_y = steps_inside(at.y, at.y, step.y, image.extent.height);
    if (in_x && in_y) {
        return std::min(keep_x, keep_y);
    }
    if (image.address_mode == AddressMode::edge) {
        // A coordinate that is held at the edge does not move.
        const std::int64_t held_x = step.x == 0 ? unlimited : 0;
        const std::int64_t held_y = step.y == 0 ? unlimited : 0;
        return std::min(in_x ? keep_x : held_x, in_y ? keep_y : held_y);
    }
    // Every side on which the lane is outside must hold: of a stretch only the first and the last
    // access are looked at, and what lies between them is outside where both are, but not where one
    // is outside in x and the other in y.
    const std::int64_t hold_x = in_x ? unlimited : steps_outside(at.x, step.x, image.extent.width);
    const std::int64_t hold_y = in_y ? unlimited : steps_outside(at.y, step.y, image.extent.height);
    return std::min(hold_x, hold_y);
}

/// How many steps keep all lanes of an access doing the same to memory.
std::int64_t access_steps(const LaneShape& shape, Texel first, Texel step, const StoredImage& image)
{
    if (step == Texel{}) {
        return unlimited;
    }
    if (shape.fits(first, image.extent)) {
        return std::min(
            steps_inside(first.x + shape.min.x, first.x + shape.max.x, step.x, image.extent.width),
            steps_inside(first.y + shape.min.y, first.y + shape.max.y, step.y,
                         image.extent.height));
    }
    std::int64_t steps = unlimited;
    for (const Texel lane : shape.lanes) {
        steps = std::min(steps, lane_steps({first.x + lane.x, first.y + lane.y}, step, image));
    }
    return steps;
}

} // namespace

void AccessLog::repeat(Position from, Position to, std::vector<Texel> step, std::int64_t times)
{
    repeats_.push_back({from, to, position(), std::move(step), times});
}

void AccessLog::clear()
{
    accesses_.clear();
    repeats_.clear();
}

// Visits the first and the last access of every repetition, at all levels: what moves by a constant
// step stays on its side of an edge if both ends do. `offset` is how far the repetitions around
// have moved each image.
template <class Visit>
void AccessLog::for_each_corner(Position from, Position to, std::vector<Texel>& offset,
                                const Visit& visit) const
{
    for (std::size_t i = from.accesses; i < to.accesses; ++i) {
        visit(accesses_[i], offset);
    }
    for (std::size_t i = from.repeats; i < to.repeats; ++i) {
        const Repeat& repeat = repeats_[i];
        std::vector<Texel> last = offset;
        for (std::size_t image = 0; image < last.size(); ++image) {
            last[image].x += static_cast<std::int32_t>(repeat.step[image].x * repeat.times);
            last[image].y += static_cast<std::int32_t>(repeat.step[image].y * repeat.times);
        }
        if (last != offset) {
            for_each_corner(repeat.from, repeat.to, last, visit);
        }
    }
}

std::int64_t AccessLog::most_repeats(Position from, Position to, std::span<const Texel> step,
                                     std::span<const StoredImage> images,
                                     const LaneShapes& shapes) const
{
    std::int64_t most = unlimited;
    std::vector<Texel> offset(images.size());
    for_each_corner(
        from, to, offset, [&](const LoggedAccess& access, const std::vector<Texel>& moved) {
            const Texel first{access.first.x + moved[access.image].x,
                              access.first.y + moved[access.image].y};
            most = std::min(most, access_steps(shapes[access.shape], first, step[access.image],
                                               images[access.image]));
        });
    return most;
}

void AccessLog::collect_granules(Position from, Position to, std::span<BitField> fields,
                                 std::size_t images, std::int64_t granule,
                                 LinePatterns& patterns) const
{
    LinePatterns::Placed last{nullptr, 0};
    std::uint16_t last_core = 0;
    for (std::size_t i = from.accesses; i < to.accesses; ++i) {
        const LoggedAccess& access = accesses_[i];
        const LinePatterns::Placed placed = patterns.find(access.image, access.shape, access.first);
        if (placed.is_remembered && placed.pattern == last.pattern && placed.first == last.first &&
            access.core == last_core) {
            continue; // the same granules again
        }
        last = placed;
        last_core = access.core;
        fields[access.core * images + access.image].insert(placed.first, placed.pattern->granules);
    }
    for (std::size_t i = from.repeats; i < to.repeats; ++i) {
        const Repeat& repeat = repeats_[i];
        if (std::all_of(repeat.step.begin(), repeat.step.end(),
                        [](Texel step) { return step == Texel{}; })) {
            continue; // the same granules again
        }
        // The granules of a single repetition, then all copies of them at once.
        std::vector<BitField> once(fields.size());
        collect_granules(repeat.from, repeat.to, once, images, granule, patterns);
        for (std::size_t f = 0; f < fields.size(); ++f) {
            const auto image = f % images;
            fields[f].insert_repeated(
                once[f],
                bytes_moved(repeat.step[image], patterns.period(static_cast<int>(image))) / granule,
                repeat.times);
        }
    }
}

} // namespace texelscope::sim
