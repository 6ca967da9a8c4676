#include "model/curves/curve_outline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace texelscope::model {
namespace {

/// Points tried in the first pass at most; more are skipped over evenly.
constexpr std::size_t coarse_places = 150;
/// Pairs of places tried in each later pass, about.
constexpr std::size_t fine_pairs = 6000;
/// Parts of a gap at most.
constexpr std::size_t parts_of_gap = 8;
/// Places that an interval has at least, when the search for it ends.
constexpr std::size_t resolved_places = 8;
/// Later passes at most: gaps are then small against any noise.
constexpr int most_passes = 6;

double segment_cost(const SegmentCosts& costs, SegmentShape shape, PointRange range)
{
    return shape == SegmentShape::plateau ? costs.plateau(range) : costs.ramp(range);
}

/// Places on the x axis with the least cost that was found for each.
struct Profile {
    std::vector<double> places;
    std::vector<double> costs;

    explicit Profile(std::vector<double> at)
        : places(std::move(at)), costs(places.size(), std::numeric_limits<double>::infinity())
    {}
};

/// First and last place whose cost is at most `limit`, and one more on either side: the truth may
/// lie between two.
struct Extent {
    std::size_t first = 0;
    std::size_t last = 0;
};
Extent within(const Profile& profile, double limit, std::size_t more)
{
    const auto good = [limit](double cost) { return cost <= limit; };
    const auto first = std::find_if(profile.costs.begin(), profile.costs.end(), good);
    const auto last = std::find_if(profile.costs.rbegin(), profile.costs.rend(), good);
    const auto from = static_cast<std::size_t>(first - profile.costs.begin());
    const auto to = static_cast<std::size_t>(profile.costs.rend() - last) - 1;
    return {from - std::min(from, more), std::min(to + more, profile.places.size() - 1)};
}

std::vector<double> points_of(const SegmentCosts& costs, std::size_t first, std::size_t last)
{
    std::vector<double> places;
    const std::size_t stride = 1 + (last - first) / coarse_places;
    for (std::size_t i = first; i < last; i += stride) {
        places.push_back(costs.x(i));
    }
    places.push_back(costs.x(last));
    return places;
}

std::vector<double> refined(const Profile& coarse, Extent extent, std::size_t parts)
{
    std::vector<double> places;
    for (std::size_t i = extent.first; i < extent.last; ++i) {
        const double gap = coarse.places[i + 1] - coarse.places[i];
        for (std::size_t part = 0; part < parts; ++part) {
            places.push_back(coarse.places[i] +
                             gap * static_cast<double>(part) / static_cast<double>(parts));
        }
    }
    places.push_back(coarse.places[extent.last]);
    return places;
}

CurvePlace place_of(const Profile& profile, double threshold)
{
    const auto best = std::min_element(profile.costs.begin(), profile.costs.end());
    const Extent extent = within(profile, *best + threshold, 1);
    return {profile.places[static_cast<std::size_t>(best - profile.costs.begin())],
            profile.places[extent.first], profile.places[extent.last]};
}

struct RampSearch {
    Profile start;
    Profile end;
    RampLocation best;
};

RampSearch search(const SegmentCosts& costs, PointRange points, std::vector<double> starts,
                  std::vector<double> ends)
{
    RampSearch found{Profile(std::move(starts)), Profile(std::move(ends)), {}};
    found.best.fit.cost = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < found.start.places.size(); ++i) {
        for (std::size_t j = 0; j < found.end.places.size(); ++j) {
            const double start = found.start.places[i];
            const double end = found.end.places[j];
            if (start > end) {
                continue;
            }
            const TransitionFit fit = costs.transition(points, start, end);
            found.start.costs[i] = std::min(found.start.costs[i], fit.cost);
            found.end.costs[j] = std::min(found.end.costs[j], fit.cost);
            if (fit.cost < found.best.fit.cost) {
                found.best = {{start, start, start}, {end, end, end}, fit};
            }
        }
    }
    return found;
}

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
    OutlineMaker(const SegmentCosts& costs, const OutlineRules& rules,
                 const std::vector<PartitionSegment>& parts)
        : costs_(costs), rules_(rules.partition), places_(rules.places),
          ramp_evidence_(rules.ramp_evidence), parts_(parts)
    {}

    CurveOutline make()
    {
        std::size_t next = 0; // first segment that is not in the outline
        while (next < parts_.size()) {
            next = next > 0 && is(parts_[next], SegmentShape::plateau) &&
                           is(parts_[next - 1], SegmentShape::plateau)
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
        return is(segment, SegmentShape::plateau) ? costs_.plateau(segment.points)
                                                  : costs_.ramp(segment.points);
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
        add_bound(ChangeKind::jump, locate_jump(costs_, left, right, places_).place,
                  gain(left, right));
        made_.segments.push_back(right);
    }

    /// Two plateaus: a jump, or a ramp of so few points that the partition did not give it a
    /// segment.
    std::size_t add_after_plateau(std::size_t next)
    {
        const PartitionSegment& left = parts_[next - 1];
        const PartitionSegment& right = parts_[next];
        if (rules_.ramps) {
            const JumpLocation jump = locate_jump(costs_, left, right, places_);
            const RampLocation ramp =
                locate_ramp(costs_, {joined(left, right), true, true}, places_);
            if (jump.cost - ramp.fit.cost > ramp_evidence_) {
                const double both = gain(left, right);
                add_bound(ChangeKind::bend, ramp.start, both);
                made_.segments.push_back(
                    {SegmentShape::ramp, {right.points.first, right.points.first}});
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

JumpLocation locate_jump(const SegmentCosts& costs, const PartitionSegment& left,
                         const PartitionSegment& right, const PlaceThresholds& thresholds)
{
    // cost where the right segment begins with the second point, the third, ..
    std::vector<double> splits;
    for (std::size_t first = left.points.first + 1; first < right.points.last; ++first) {
        splits.push_back(segment_cost(costs, left.shape, {left.points.first, first}) +
                         segment_cost(costs, right.shape, {first, right.points.last}));
    }
    // Where lines have too few points to leave a residual, the cost is low for that reason alone.
    const auto planned = static_cast<std::ptrdiff_t>(right.points.first - left.points.first) - 1;
    auto best = splits.begin() + planned;
    if (left.shape == SegmentShape::plateau && right.shape == SegmentShape::plateau) {
        best = std::min_element(splits.begin(), splits.end());
    }
    const double limit = *best + thresholds.jump;
    auto low = best;
    auto high = best;
    for (auto split = splits.begin(); split != splits.end(); ++split) {
        if (*split <= limit) {
            low = std::min(low, split);
            high = std::max(high, split);
        }
    }
    const auto point = [&](auto split) {
        return left.points.first + 1 + static_cast<std::size_t>(split - splits.begin());
    };
    const std::size_t first_after = point(best);
    return {{(costs.x(first_after - 1) + costs.x(first_after)) / 2, costs.x(point(low) - 1),
             costs.x(point(high))},
            first_after,
            *best};
}

RampLocation locate_ramp(const SegmentCosts& costs, const RampWindow& window,
                         const PlaceThresholds& thresholds)
{
    const std::size_t first = window.points.first;
    const std::size_t last = window.points.last - 1;
    // A plateau keeps at least one point.
    RampSearch found = search(costs, window.points,
                              window.plateau_before ? points_of(costs, first, last)
                                                    : std::vector<double>{costs.x(first)},
                              window.plateau_after ? points_of(costs, first, last - 1)
                                                   : std::vector<double>{costs.x(last)});
    for (int pass = 0; pass < most_passes; ++pass) {
        const double limit = found.best.fit.cost + thresholds.bend;
        // Between two points of a coarse grid costs may be much lower than at both.
        const Extent start = within(found.start, limit, pass == 0 ? 2 : 1);
        const Extent end = within(found.end, limit, pass == 0 ? 2 : 1);
        const auto resolved = [](const Profile& profile, Extent extent) {
            return profile.places.size() == 1 || extent.last - extent.first >= resolved_places;
        };
        if (pass > 0 && resolved(found.start, start) && resolved(found.end, end)) {
            break;
        }
        const std::size_t pairs = (start.last - start.first + 1) * (end.last - end.first + 1);
        std::size_t parts = parts_of_gap;
        while (parts > 1 && pairs * parts * parts > fine_pairs) {
            parts /= 2;
        }
        found = search(costs, window.points, refined(found.start, start, parts),
                       refined(found.end, end, parts));
    }
    found.best.start = place_of(found.start, thresholds.bend);
    found.best.end = place_of(found.end, thresholds.bend);
    return found.best;
}

BendLocation locate_bend(const SegmentCosts& costs, PointRange points,
                         const PlaceThresholds& thresholds)
{
    const std::size_t last = points.last - 1;
    Profile profile(points_of(costs, points.first, last));
    for (int pass = 0; pass <= most_passes; ++pass) {
        for (std::size_t i = 0; i < profile.places.size(); ++i) {
            profile.costs[i] = costs.bend(points, profile.places[i]);
        }
        const double limit =
            *std::min_element(profile.costs.begin(), profile.costs.end()) + thresholds.bend;
        const Extent extent = within(profile, limit, pass == 0 ? 2 : 1);
        if (pass == most_passes || (pass > 0 && extent.last - extent.first >= resolved_places)) {
            break;
        }
        profile = Profile(refined(profile, extent, parts_of_gap));
    }
    const CurvePlace place = place_of(profile, thresholds.bend);
    return {place, *std::min_element(profile.costs.begin(), profile.costs.end())};
}

CurveOutline outline(const SegmentCosts& costs, const OutlineRules& rules,
                     const std::vector<PartitionSegment>& partition)
{
    return OutlineMaker(costs, rules, partition).make();
}

} // namespace texelscope::model
