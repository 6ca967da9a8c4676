#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace texelscope::sim {

/// Resident warps of one core over the launch. A warp is resident from the cycle in which it gets
/// its slot until its last data have come and its last arithmetic is done.
struct OccupancyOverTime {
    struct Point {
        std::int64_t cycle = 0;
        /// Mean from this cycle to the next point's; whole where no points were merged.
        double warps = 0;

        bool operator==(const Point&) const = default;
    };
    /// Ascending by cycle; the last point has 0 warps. Empty where the core had no warps.
    std::vector<Point> points;
    std::int64_t warp_cycles = 0; ///< sum of the resident warps over all cycles

    bool operator==(const OccupancyOverTime&) const = default;
};

/// Collects an OccupancyOverTime of at most `most_points`. Where there are more changes, points of
/// the same 2, 4, 8 ... cycles are merged to their mean, so that the resolution is the same
/// everywhere and the area stays exact.
class OccupancyRecorder {
public:
    /// `most_points` >= 4.
    explicit OccupancyRecorder(std::size_t most_points = 1024) : most_points_(most_points) {}

    /// A warp becomes resident; cycles ascending.
    void enter(std::int64_t cycle);
    /// A warp will leave; `cycle` is not before the last enter().
    void leave(std::int64_t cycle) { leaving_.push(cycle); }

    /// After the last warp's leave().
    [[nodiscard]] OccupancyOverTime result() const;

private:
    struct Run {
        std::int64_t begin = 0;
        std::int64_t warp_cycles = 0; ///< up to the begin of the next one
    };
    void leave_until(std::int64_t cycle);
    void change(std::int64_t cycle, int difference);
    void append(Run run);

    std::size_t most_points_;
    std::int64_t width_ = 1; ///< cycles that share a point
    std::vector<Run> runs_;
    std::int64_t begin_ = 0; ///< of the run under way
    std::int64_t warps_ = 0; ///< resident in it
    std::int64_t warp_cycles_ = 0;
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> leaving_;
};

} // namespace texelscope::sim
