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

/// Something that happens `times` times more, each time moved by a further `step` (texels).
struct Repetition {
    Texel step;
    std::int64_t times = 0;

    bool operator==(const Repetition&) const = default;
};

/// Counts, at each texel of one image and in several channels, events that repeat. An event with n
/// nested repetitions costs 2^n additions, however often the repetitions happen.
///
/// An event at p that repeats k times with step s counts one at p + s, p + 2s, ..., p + ks. This is
/// the running sum along s of +1 at p + s and -1 at p + (k+1)s. Running sums along different steps
/// commute with each other and with translation, so each nested repetition doubles the number of
/// these points. There is one field of points for each combination of steps. The running sums are
/// taken once for all points, in collect().
///
/// Call place() for the repetitions around some events, Place::add() for each event, collect() when
/// held() is large and at the end, and then counts().
class RepeatedCounts {
    struct Field;

public:
    static constexpr std::size_t channels = 4;

    explicit RepeatedCounts(Extent2D extent) : extent_(extent) {}

    /// Where events count that share the same repetitions. Get one and use it for many events.
    class Place {
    public:
        /// Counts `amount` for an event at that texel, at every repetition of it.
        void add(std::size_t channel, Texel texel, std::int64_t amount) const;

    private:
        friend class RepeatedCounts;
        struct Point {
            std::int64_t x = 0;      ///< column relative to the event
            std::int64_t y = 0;      ///< row relative to the event
            std::int64_t factor = 1; ///< times the event's amount
        };
        Field* field_ = nullptr;
        std::vector<Point> points_;
    };
    /// The place of events with these repetitions, the inner one first. All repetitions of an event
    /// must stay inside of the image. Valid until collect().
    [[nodiscard]] Place place(std::span<const Repetition> repetitions);

    /// Number of cells that are held for the points of all fields.
    [[nodiscard]] std::int64_t held() const { return held_; }
    /// Takes the running sums, adds them to the counts, and frees the fields.
    void collect();
    /// The counts of a channel, row by row; collect() must have been called since the last event.
    [[nodiscard]] std::vector<std::int64_t> counts(std::size_t channel) const;

private:
    Extent2D extent_;
    /// By channel; empty until something is counted in it.
    std::array<std::vector<std::int64_t>, channels> counts_;
    std::map<std::vector<Texel>, std::shared_ptr<Field>> fields_; ///< by their steps
    std::int64_t held_ = 0;
};

/// The points of one combination of steps: a rectangle of cells, which may reach beyond the image.
struct RepeatedCounts::Field {
    Texel low; ///< texel of its first cell
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::array<ZeroedArray<std::int64_t>, channels> cells;
    // Smallest box around the points, in cells; empty at first.
    std::int64_t min_x = 0;
    std::int64_t max_x = -1;
    std::int64_t min_y = 0;
    std::int64_t max_y = -1;

    void add(std::size_t channel, std::int64_t x, std::int64_t y, std::int64_t amount);
    /// Replaces the cells of a channel by their running sums along a step.
    void sum_along(std::size_t channel, Texel step);
};

inline void RepeatedCounts::Place::add(std::size_t channel, Texel texel, std::int64_t amount) const
{
    for (const Point& point : points_) {
        field_->add(channel, texel.x + point.x, texel.y + point.y, amount * point.factor);
    }
}

} // namespace texelscope::sim
