#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace texelscope::model {

/// Points first .. last-1 of a curve.
struct PointRange {
    std::size_t first = 0;
    std::size_t last = 0;

    [[nodiscard]] std::size_t size() const { return last - first; }
    bool operator==(const PointRange&) const = default;
};

/// A line through (x, y), and its slope.
struct CurveLine {
    double x = 0;
    double y = 0;
    double slope = 0;

    [[nodiscard]] double at(double place) const { return y + slope * (place - x); }
};

/// A plateau, a straight ramp and another plateau, continuous: `before` up to x = start, `after`
/// from x = end on. With start = end, a step.
struct TransitionFit {
    double before = 0;
    double after = 0;
    double cost = 0;
};

/// Weighted sums of squared residuals of least-squares fits to a range of points, each in constant
/// time, from sums over the points before each.
class SegmentCosts {
public:
    /// `deviation`: the standard deviation of each y, positive. x ascends. All of one length, not
    /// empty.
    SegmentCosts(std::span<const double> x, std::span<const double> y,
                 std::span<const double> deviation);

    [[nodiscard]] std::size_t size() const { return x_.size(); }
    [[nodiscard]] double x(std::size_t point) const { return x_[point]; }

    /// Of the best constant, and of the best line. The range is not empty.
    [[nodiscard]] double plateau(PointRange range) const;
    [[nodiscard]] double ramp(PointRange range) const;
    /// These fits themselves. The constant is a line without slope.
    [[nodiscard]] CurveLine plateau_line(PointRange range) const;
    [[nodiscard]] CurveLine ramp_line(PointRange range) const;

    /// The best two plateaus where the ramp between them goes from x = start to x = end. start <=
    /// end.
    [[nodiscard]] TransitionFit transition(PointRange range, double start, double end) const;
    /// Cost of the best two lines that meet at x = bend.
    [[nodiscard]] double bend(PointRange range, double bend) const;

private:
    /// Weighted sums of 1, x, x^2, y, x y and y^2, with x and y moved and scaled to keep digits.
    struct Sums {
        double one = 0;
        double x = 0;
        double xx = 0;
        double y = 0;
        double xy = 0;
        double yy = 0;
    };
    [[nodiscard]] Sums sums(PointRange range) const;
    [[nodiscard]] std::size_t first_beyond(PointRange range, double place) const;
    [[nodiscard]] double scaled(double place) const { return (place - origin_) / width_; }

    std::vector<double> x_;
    std::vector<Sums> before_; ///< of the points before each, and of all
    double origin_ = 0;
    double width_ = 1;
    double middle_ = 0; ///< y is taken relative to this
};

enum class SegmentShape { plateau, ramp };

/// What each segment of a partition pays besides its cost, and how small it may be.
struct PartitionRules {
    double plateau_penalty = 0; ///< >= 0
    double ramp_penalty = 0;    ///< >= plateau_penalty
    std::size_t plateau_points = 3;
    std::size_t ramp_points = 2;
    bool ramps = true; ///< false: plateaus only
};

struct PartitionSegment {
    SegmentShape shape = SegmentShape::plateau;
    PointRange points;
};

/// The partition of the points into plateaus and ramps whose costs and penalties have the least
/// sum, exactly: optimal partitioning (Jackson et al., IEEE Signal Processing Letters 12, 2005)
/// with the pruning of PELT (Killick, Fearnhead and Eckley, JASA 107, 2012). At worst quadratic in
/// the points. A curve of fewer points than a segment must have is one plateau. Of equally good
/// partitions, one with the longest last segment.
[[nodiscard]] std::vector<PartitionSegment> optimal_partition(const SegmentCosts& costs,
                                                              const PartitionRules& rules);

/// Cost and penalties of a partition.
[[nodiscard]] double partition_cost(const SegmentCosts& costs, const PartitionRules& rules,
                                    const std::vector<PartitionSegment>& segments);

} // namespace texelscope::model
