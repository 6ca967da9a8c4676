#pragma once

#include "sim/cache/line_table.hpp"
#include "traces/image.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Something that happens `times` times more, a step further on each time.
struct Repetition {
    Texel step;
    std::int64_t times = 0;

    bool operator==(const Repetition&) const = default;
};

/// Counts at the texels of one image, in several channels, of events that repeat: n repetitions
/// inside of each other cost 2^n additions, however often they happen.
///
/// An event at p that repeats k times with step s counts one at p + s, p + 2s, ..., p + ks. That is
/// the running sum along s of +1 at p + s and -1 at p + (k+1)s; and as running sums along different
/// steps commute with each other and with translation, repetitions inside of repetitions only
/// multiply these points. There is a field of points for each combination of steps; the sums are
/// taken once, in collect().
class RepeatedCounts {
    struct Field;

public:
    static constexpr std::size_t channels = 4;

    explicit RepeatedCounts(Extent2D extent) : extent_(extent) {}

    /// What events count that happen again like this, and where: to be asked for once for many
    /// events.
    class Place {
    public:
        void add(std::size_t channel, Texel texel, std::int64_t amount) const;

    private:
        friend class RepeatedCounts;
        struct Point {
            std::int64_t x = 0;
            std::int64_t y = 0;
            std::int64_t factor = 1;
        };
        Field* field_ = nullptr;
        std::vector<Point> points_;
    };
    /// Events that repeat, the inner repetition first: all repetitions of an event stay inside of
    /// the image. Valid until collect().
    [[nodiscard]] Place place(std::span<const Repetition> repetitions);

    /// Cells that are held for points.
    [[nodiscard]] std::int64_t held() const { return held_; }
    /// Takes the sums, which frees those cells.
    void collect();
    /// Row-major; collect() must have been called since the last event.
    [[nodiscard]] std::vector<std::int64_t> counts(std::size_t channel) const;

private:
    Extent2D extent_;
    /// Empty until something is counted.
    std::array<std::vector<std::int64_t>, channels> counts_;
    std::map<std::vector<Texel>, std::shared_ptr<Field>> fields_; ///< by their steps
    std::int64_t held_ = 0;
};

/// A rectangle of counts that need not start at 0,0, around the points of one combination of steps.
struct RepeatedCounts::Field {
    Texel low; ///< corner
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::array<ZeroedArray<std::int64_t>, channels> cells;
    // Box around the points.
    std::int64_t min_x = 0;
    std::int64_t max_x = -1;
    std::int64_t min_y = 0;
    std::int64_t max_y = -1;

    void add(std::size_t channel, std::int64_t x, std::int64_t y, std::int64_t amount);
    /// Running sums along a step.
    void sum_along(std::size_t channel, Texel step);
};

inline void RepeatedCounts::Place::add(std::size_t channel, Texel texel, std::int64_t amount) const
{
    for (const Point& point : points_) {
        field_->add(channel, texel.x + point.x, texel.y + point.y, amount * point.factor);
    }
}

} // namespace texelscope::sim
