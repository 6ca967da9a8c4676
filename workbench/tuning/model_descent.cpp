#include "workbench/tuning/model_descent.hpp"

#include "base/lists.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "workbench/space/knobs.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/tuning/descent.hpp"
#include "workbench/tuning/priced_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::tuning {
namespace {

constexpr std::size_t tile_sides = 3;

/// How many times apart the sides of two work-groups are, as a sum of logarithms.
double distance(const GroupChoice& a, const GroupChoice& b)
{
    double sum = 0;
    const auto add = [&](std::int32_t x, std::int32_t y) {
        sum += std::abs(std::log2(x) - std::log2(y));
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        add(a.group[axis], b.group[axis]);
    }
    add(a.warp[0], b.warp[0]);
    return sum;
}

/// A kernel of a space in one of its work-groups, or in all of them.
struct SpacePoint {
    std::size_t kernel = 0;
    std::optional<std::size_t> group = {}; ///< place in the kernel's list; nothing: all, at once
};

/// The model's costs of a space. A kernel is asked for in all of its work-groups at once; but one
/// that copies blocks, of which each group is a kernel of its own to the model, in a single one.
class SpaceProblem {
public:
    using Point = SpacePoint;
    using Key = std::int64_t; ///< an element's number; of a kernel -1 less its number
    struct Answer {
        Priced<SpacePoint> best;
        ModelCosts::Costs costs;
    };

    SpaceProblem(const ModelCosts& costs, const std::function<void(double)>& progress)
        : costs_(costs), space_(costs.space()), progress_(progress)
    {}

    [[nodiscard]] Key key(const SpacePoint& point) const
    {
        return point.group ? space_.first(point.kernel) + static_cast<std::int64_t>(*point.group)
                           : -1 - static_cast<std::int64_t>(point.kernel);
    }

    Answer ask(const SpacePoint& point)
    {
        Answer answer = answer_of(point);
        tell(1);
        return answer;
    }

    std::vector<Answer> ask(std::span<const SpacePoint> points)
    {
        std::vector<Answer> answers(points.size());
        parallel_for(points.size(), processor_threads(),
                     [&](std::size_t i) { answers[i] = answer_of(points[i]); });
        tell(points.size());
        return answers;
    }

private:
    [[nodiscard]] Answer answer_of(const SpacePoint& point) const
    {
        Answer answer{{{point.kernel}}, {}};
        if (!space_.groups(point.kernel).empty()) {
            answer.costs = point.group ? costs_.of_groups(point.kernel, {&*point.group, 1})
                                       : costs_.of_kernel(point.kernel);
        }
        if (!answer.costs.priced.empty()) {
            const ModelCosts::Cost& best = *std::ranges::min_element(answer.costs.priced);
            answer.best = {{point.kernel, space_.place(best.index).group}, best.ns};
        }
        return answer;
    }

    void tell(std::size_t answers)
    {
        asked_ += static_cast<double>(answers);
        if (progress_) {
            // How many points a descent will ask for is not known beforehand: the bar approaches
            // its end and never gets there.
            progress_(asked_ / (asked_ + 64));
        }
    }

    const ModelCosts& costs_;
    const ConfigurationSpace& space_;
    const std::function<void(double)>& progress_;
    double asked_ = 0;
};

/// The knobs of a space, and where a search of it begins.
class SpaceKnobs {
public:
    explicit SpaceKnobs(const ConfigurationSpace& space) : space_(space), knobs_(space) {}

    /// The sides of a tile go together: what gains along one is lost along the other. The groups of
    /// a kernel that copies blocks come last; the other kernels were priced in all of theirs.
    [[nodiscard]] std::vector<Knob<SpacePoint>> all() const
    {
        const std::size_t tile = knobs_.first_tile();
        std::vector<Knob<SpacePoint>> all{along(tile, tile + tile_sides)};
        for (std::size_t knob = 0; knob < knobs_.count(); ++knob) {
            if (knob < tile || knob >= tile + tile_sides) {
                all.push_back(along(knob, knob + 1));
            }
        }
        all.emplace_back([this](const SpacePoint& from) {
            std::vector<SpacePoint> points;
            const std::size_t groups = space_.groups(from.kernel).size();
            for (std::size_t g = 0; copies_blocks(from.kernel) && g < groups; ++g) {
                points.push_back({from.kernel, g});
            }
            return points;
        });
        return all;
    }

    /// The first kernel; that with the last patterns and tile that it has with the rest as it is;
    /// and, where kernels are more than a list, some at random, the same each time.
    [[nodiscard]] std::vector<SpacePoint> starts(int at_random) const
    {
        const std::size_t tile = knobs_.first_tile();
        std::size_t far_end = 0;
        for (std::size_t knob = 0; knob < tile; ++knob) {
            far_end = knobs_.along(far_end, knob, knob + 1).back();
        }
        far_end = knobs_.along(far_end, tile, tile + tile_sides).back();
        std::vector<SpacePoint> starts{point(0, {}), point(far_end, {})};
        std::mt19937_64 random(1);
        const std::size_t kernels = space_.kernel_count();
        for (int i = 0; i < at_random && space_.listed().size() < kernels; ++i) {
            starts.push_back(point(static_cast<std::size_t>(uniform_below(random, kernels)), {}));
        }
        return starts;
    }

private:
    [[nodiscard]] bool copies_blocks(std::size_t kernel) const
    {
        return space_.kernel(kernel).stage > 0;
    }

    [[nodiscard]] Knob<SpacePoint> along(std::size_t first, std::size_t last) const
    {
        return [=, this](const SpacePoint& from) {
            std::optional<GroupChoice> near;
            if (from.group) {
                near = space_.groups(from.kernel)[*from.group];
            }
            return mapped(knobs_.along(from.kernel, first, last),
                          [&](std::size_t kernel) { return point(kernel, near); });
        };
    }

    /// A kernel as it is asked for: where it copies blocks, in the group that is nearest to the
    /// given one.
    [[nodiscard]] SpacePoint point(std::size_t kernel, const std::optional<GroupChoice>& near) const
    {
        const std::span<const GroupChoice> groups = space_.groups(kernel);
        if (groups.empty() || !copies_blocks(kernel)) {
            return {kernel};
        }
        const auto nearest = !near ? groups.begin() + std::ssize(groups) / 2
                                   : std::ranges::min_element(groups, {}, [&](const auto& group) {
                                         return distance(group, *near);
                                     });
        return {kernel, static_cast<std::size_t>(nearest - groups.begin())};
    }

    const ConfigurationSpace& space_;
    KernelKnobs knobs_;
};

} // namespace

// Descends from each start by the knobs in turn, and ranks everything that was asked for on the
// way.
Ranking rank_by_descent(const ModelCosts& costs, std::size_t keep,
                        const std::function<void(double)>& progress, const TieBreaker& ties,
                        int random_starts)
{
    const ConfigurationSpace& space = costs.space();
    if (space.kernel_count() == 0) {
        return ranking_of(space, {}, keep);
    }
    const SpaceKnobs space_knobs(space);
    const std::vector<Knob<SpacePoint>> knobs = space_knobs.all();
    Descent descent{SpaceProblem(costs, progress)};
    for (const SpacePoint& start : space_knobs.starts(random_starts)) {
        descent.descend(start, knobs);
    }
    ModelCosts::Costs seen;
    for (const auto* const asked : descent.asked()) {
        seen += asked->second.costs;
    }
    return ranking_of(space, std::move(seen), keep, ties);
}

Ranking first_by_model(const ModelCosts& costs, std::size_t keep,
                       const std::function<void(double)>& progress, const TieBreaker& ties,
                       int random_starts)
{
    constexpr std::size_t few = 4096;
    return costs.space().kernel_count() <= few
               ? rank_by_model(costs, keep, progress, ties)
               : rank_by_descent(costs, keep, progress, ties, random_starts);
}

std::vector<Schedule> first_over_all_parts(const Operator& op, const DeviceProfile& device,
                                           const Calibration& calibration, ModelVariant variant,
                                           std::size_t count,
                                           const std::function<void(double)>& progress,
                                           const StopToken& stop)
{
    std::vector<Schedule> first;
    if (count == 0) {
        return first;
    }
    const ConfigurationSpace space =
        configuration_space(op, device, {.parts = priced_parts(op, device)});
    std::set<std::string> kernels;
    double last = 0;
    const Ranking ranking =
        first_by_model({op, device, space, calibration, variant, stop}, 0, progress);
    for (const RankedConfiguration& ranked : ranking.best) {
        const bool alike = !first.empty() && same_time(ranked.cost.value, last);
        if (first.size() < count && !alike &&
            kernels.insert(to_string(kernel_of(ranked.schedule))).second) {
            first.push_back(ranked.schedule);
            last = ranked.cost.value;
        }
    }
    return first;
}

} // namespace texelscope::workbench::tuning
