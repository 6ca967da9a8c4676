#include "model/curves/curve_outline.hpp"

#include <algorithm>

namespace texelscope::model {
namespace {

bool is(const PartitionSegment& segment, SegmentShape shape)
{
    return segment.shape == shape;
}

PointRange joined(const PartitionSegment& left, const PartitionSegment& right)
{
    return {left.points.first, right.points.last};
}

class OutlineMaker {
public:
    OutlineMaker(const SegmentCosts& costs, const OutlineRules& rules, const std::vector<PartitionSegment>& parts)
        : costs_(costs), rules_(rules.partition), places_(rules.places), ramp_evidence_(rules.ramp_evidence),
          parts_(parts)
    {}

    CurveOutline make()
    {
        std::size_t next = 0; // first segment that is not in the outline
        while (next < parts_.size()) {
            next = next > 0 && is(parts_[next], SegmentShape::plateau) && is(parts_[next - 1], SegmentShape::plateau)
                       ? add_after_plateau(next)
                       : add(next);
        }
        return std::move(made_);
    }

private:
    /// What a change costs.
    [[nodiscard]] double penalty() const { return rules_.plateau_penalty; }

    [[nodiscard]] double cost(const PartitionSegment& segment) const
    {
        return is(segment, SegmentShape::plateau) ? costs_.plateau(segment.points) : costs_.ramp(segment.points);
    }

    /// What two neighbours explain that neither a plateau nor a ramp instead of both does.
    [[nodiscard]] double gain(const PartitionSegment& left, const PartitionSegment& right) const
    {
        const double apart = partition_cost(costs_, rules_, {left, right});
        double together = costs_.plateau(joined(left, right)) + rules_.plateau_penalty;
        if (rules_.ramps) {
            together = std::min(together, costs_.ramp(joined(left, right)) + rules_.ramp_penalty);
        }
        return together - apart + penalty();
    }

    void add_bound(ChangeKind kind, const CurvePlace& place, double gain)
    {
        made_.boundaries.push_back({kind, place, gain});
    }

    void add_jump(const PartitionSegment& left, const PartitionSegment& right)
    {
        add_bound(ChangeKind::jump, locate_jump(costs_, left, right, places_).place, gain(left, right));
        made_.segments.push_back(right);
    }

    /// Two plateaus: a jump, or a ramp of so few points that the partition did not give it a segment.
    std::size_t add_after_plateau(std::size_t next)
    {
        const PartitionSegment& left = parts_[next - 1];
        const PartitionSegment& right = parts_[next];
        if (rules_.ramps) {
            const JumpLocation jump = locate_jump(costs_, left, right, places_);
            const RampLocation ramp = locate_ramp(costs_, {joined(left, right), true, true}, places_);
            if (jump.cost - ramp.fit.cost > ramp_evidence_) {
                const double both = gain(left, right);
                add_bound(ChangeKind::bend, ramp.start, both);
                made_.segments.push_back({SegmentShape::ramp, {right.points.first, right.points.first}});
                add_bound(ChangeKind::bend, ramp.end, both);
                made_.segments.push_back(right);
                return next + 1;
            }
        }
        add_jump(left, right);
        return next + 1;
    }

    /// The first segment, or one beside a ramp. Returns the first that is not in the outline then.
    std::size_t add(std::size_t next)
    {
        if (next == 0 && !is(parts_[0], SegmentShape::ramp)) {
            made_.segments.push_back(parts_[0]);
            return 1;
        }
        if (!is(parts_[next], SegmentShape::ramp)) { // after a ramp that did not join it
            add_jump(parts_[next - 1], parts_[next]);
            return next + 1;
        }
        const PartitionSegment& ramp = parts_[next];
        const bool before = next > 0 && is(parts_[next - 1], SegmentShape::plateau);
        const bool after = next + 1 < parts_.size() && is(parts_[next + 1], SegmentShape::plateau);
        if (before || after) {
            return add_beside_plateaus(next, before, after);
        }
        if (next > 0) {
            add_after_ramp(parts_[next - 1], ramp);
        } else {
            made_.segments.push_back(ramp);
        }
        return next + 1;
    }

    void add_after_ramp(const PartitionSegment& left, const PartitionSegment& right)
    {
        const BendLocation bend = locate_bend(costs_, joined(left, right), places_);
        if (bend.cost > cost(left) + cost(right) + penalty()) {
            add_jump(left, right);
            return;
        }
        add_bound(ChangeKind::bend, bend.place, gain(left, right));
        made_.segments.push_back(right);
    }

    std::size_t add_beside_plateaus(std::size_t next, bool before, bool after)
    {
        const PartitionSegment& ramp = parts_[next];
        const PartitionSegment& first = before ? parts_[next - 1] : ramp;
        const PartitionSegment& last = after ? parts_[next + 1] : ramp;
        const PointRange window = joined(first, last);
        const double apart = cost(ramp) + (before ? cost(first) : 0) + (after ? cost(last) : 0);
        const RampLocation fit = locate_ramp(costs_, {window, before, after}, places_);
        if (before && after) {
            const JumpLocation jump = locate_jump(costs_, first, last, places_);
            if (jump.cost <= std::min(fit.fit.cost, apart) + ramp_evidence_) {
                // Without the ramp there is one change.
                add_bound(ChangeKind::jump, jump.place, costs_.plateau(window) - jump.cost);
                made_.segments.push_back(last);
                return next + 2;
            }
        }
        const bool continuous = fit.fit.cost <= apart + penalty();
        if (!before) {
            if (next > 0) {
                add_after_ramp(parts_[next - 1], ramp);
            } else {
                made_.segments.push_back(ramp);
            }
        } else if (continuous) {
            add_bound(ChangeKind::bend, fit.start, gain(first, ramp));
            made_.segments.push_back(ramp);
        } else {
            add_jump(first, ramp);
        }
        if (after && continuous) {
            add_bound(ChangeKind::bend, fit.end, gain(ramp, last));
            made_.segments.push_back(last);
            return next + 2;
        }
        return next + 1;
    }

    const SegmentCosts& costs_;
    const PartitionRules& rules_;
    const PlaceThresholds& places_;
    double ramp_evidence_;
    const std::vector<PartitionSegment>& parts_;
    CurveOutline made_;
};

} // namespace

CurveOutline outline(const SegmentCosts& costs, const OutlineRules& rules,
                     const std::vector<PartitionSegment>& partition)
{
    return OutlineMaker(costs, rules, partition).make();
}

} // namespace texelscope::model
