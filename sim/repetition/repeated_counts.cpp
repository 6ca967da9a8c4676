#include "sim/repetition/repeated_counts.hpp"

#include <algorithm>
#include <cstdlib>

namespace texelscope::sim {

void RepeatedCounts::Field::add(std::size_t channel, std::int64_t x, std::int64_t y,
                                std::int64_t amount)
{
    ZeroedArray<std::int64_t>& counts = cells[channel];
    if (counts.empty()) {
        counts = ZeroedArray<std::int64_t>(static_cast<std::size_t>(width * height));
    }
    const std::int64_t column = x - low.x;
    const std::int64_t row = y - low.y;
    // max_x < min_x: the field has no entry yet.
    if (max_x < min_x) {
        min_x = max_x = column;
        min_y = max_y = row;
    } else {
        min_x = std::min(min_x, column);
        max_x = std::max(max_x, column);
        min_y = std::min(min_y, row);
        max_y = std::max(max_y, row);
    }
    counts[static_cast<std::size_t>(row * width + column)] += amount;
}

void RepeatedCounts::Field::sum_along(std::size_t channel, Texel step)
{
    ZeroedArray<std::int64_t>& counts = cells[channel];
    const std::int64_t back = std::int64_t{step.y} * width + step.x;
    // A cell adds the one a step before it, where the box has that; rows and columns go in the
    // order in which the cell a step before is complete.
    const std::int64_t first_x = min_x + std::max(step.x, 0);
    const std::int64_t last_x = max_x + std::min(step.x, 0);
    const std::int64_t first_y = min_y + std::max(step.y, 0);
    const std::int64_t last_y = max_y + std::min(step.y, 0);
    if (step.y > 0 || (step.y == 0 && step.x > 0)) {
        for (std::int64_t y = first_y; y <= last_y; ++y) {
            for (std::int64_t at = y * width + first_x; at <= y * width + last_x; ++at) {
                counts[static_cast<std::size_t>(at)] += counts[static_cast<std::size_t>(at - back)];
            }
        }
    } else {
        for (std::int64_t y = last_y; y >= first_y; --y) {
            for (std::int64_t at = y * width + last_x; at >= y * width + first_x; --at) {
                counts[static_cast<std::size_t>(at)] += counts[static_cast<std::size_t>(at - back)];
            }
        }
    }
}

RepeatedCounts::Place RepeatedCounts::place(std::span<const Repetition> repetitions)
{
    Place place;
    place.points_.emplace_back();
    std::vector<Texel> steps;
    for (const Repetition& repetition : repetitions) {
        const Texel step = repetition.step;
        // Repetitions that do not move only multiply the count.
        if (step == Texel{}) {
            for (Place::Point& point : place.points_) {
                point.factor *= repetition.times;
            }
            continue;
        }
        steps.push_back(step);
        const std::size_t before = place.points_.size();
        for (std::size_t i = 0; i < before; ++i) {
            const Place::Point point = place.points_[i];
            const std::int64_t end = repetition.times + 1;
            place.points_.push_back(
                {point.x + end * step.x, point.y + end * step.y, -point.factor});
            place.points_[i] = {point.x + step.x, point.y + step.y, point.factor};
        }
    }
    // Sums along several steps may be taken in any order, so fields are known by their sorted
    // steps.
    std::sort(steps.begin(), steps.end());
    std::shared_ptr<Field>& field = fields_[steps];
    if (field == nullptr) {
        field = std::make_shared<Field>();
        field->width = extent_.width;
        field->height = extent_.height;
        // The points where repetitions end lie up to a step outside.
        for (const Texel step : steps) {
            field->low.x += std::min(step.x, 0);
            field->low.y += std::min(step.y, 0);
            field->width += std::abs(step.x);
            field->height += std::abs(step.y);
        }
        held_ += field->width * field->height;
    }
    place.field_ = field.get();
    return place;
}

void RepeatedCounts::collect()
{
    for (const auto& [steps, field] : fields_) {
        for (std::size_t channel = 0; channel < channels; ++channel) {
            if (field->cells[channel].empty()) {
                continue;
            }
            for (const Texel step : steps) {
                field->sum_along(channel, step);
            }
            counts_[channel].resize(static_cast<std::size_t>(extent_.area()), 0);
            // Repetitions stay inside of the image, so all sums outside of it are zero.
            const std::int64_t first_x = std::max<std::int64_t>(field->min_x, -field->low.x);
            const std::int64_t last_x =
                std::min<std::int64_t>(field->max_x, extent_.width - 1 - field->low.x);
            const std::int64_t first_y = std::max<std::int64_t>(field->min_y, -field->low.y);
            const std::int64_t last_y =
                std::min<std::int64_t>(field->max_y, extent_.height - 1 - field->low.y);
            for (std::int64_t y = first_y; y <= last_y; ++y) {
                std::int64_t* const to =
                    counts_[channel].data() + (y + field->low.y) * extent_.width + field->low.x;
                for (std::int64_t x = first_x; x <= last_x; ++x) {
                    to[x] += field->cells[channel][static_cast<std::size_t>(y * field->width + x)];
                }
            }
        }
    }
    fields_.clear();
    held_ = 0;
}

std::vector<std::int64_t> RepeatedCounts::counts(std::size_t channel) const
{
    return counts_[channel].empty()
               ? std::vector<std::int64_t>(static_cast<std::size_t>(extent_.area()), 0)
               : counts_[channel];
}

} // namespace texelscope::sim
