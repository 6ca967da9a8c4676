#include "workbench/tuning/model_descent.hpp"

#include "base/random.hpp"
#include "workbench/space/knobs.hpp"
#include "workbench/tuning/priced_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace texelscope::workbench::tuning {
namespace {

constexpr std::size_t tile_sides = 3;
constexpr double no_cost = std::numeric_limits<double>::infinity();

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

class Descent {
public:
    Descent(const ModelCosts& costs, const std::function<void(double)>& progress)
        : costs_(costs), space_(costs.space()), progress_(progress), knobs_(space_)
    {
        // The sides of a tile go together: what gains along one is lost along the other.
        const std::size_t tile = knobs_.first_tile();
        steps_.push_back({tile, tile + tile_sides});
        for (std::size_t knob = 0; knob < knobs_.count(); ++knob) {
            if (knob < tile || knob >= tile + tile_sides) {
                steps_.push_back({knob, knob + 1});
            }
        }
    }

    void from(std::size_t kernel)
    {
        Point point = price(kernel, {});
        std::size_t unchanged = 0;
        for (std::size_t step = 0; unchanged <= steps_.size(); ++step) {
            const std::size_t s = step % (steps_.size() + 1);
            const Point next = s < steps_.size() ? best_along(point, steps_[s]) : best_group(point);
            unchanged =
                next.index == point.index && next.kernel == point.kernel ? unchanged + 1 : 1;
            point = next;
        }
    }

    /// The first kernel, with the last patterns and tile that it has with the rest as it is.
    [[nodiscard]] std::size_t far_end() const
    {
        std::size_t kernel = 0;
        const std::size_t tile = knobs_.first_tile();
        for (std::size_t knob = 0; knob < tile; ++knob) {
            kernel = knobs_.along(kernel, knob, knob + 1).back();
        }
        return knobs_.along(kernel, tile, tile + tile_sides).back();
    }

    [[nodiscard]] ModelCosts::Costs seen() && { return std::move(seen_); }

private:
    struct Step {
        std::size_t first; ///< knobs from this
        std::size_t last;  ///< to before this one are turned together
    };
    /// A kernel in the best of its work-groups that were looked at.
    struct Point {
        std::size_t kernel = 0;
        double ns = no_cost;
        std::int64_t index = -1; ///< in the space; -1: it has no cost
    };

    Point best_along(const Point& from, const Step& step)
    {
        Point best = from;
        for (const std::size_t kernel : knobs_.along(from.kernel, step.first, step.last)) {
            const Point other = price(kernel, group_of(from));
            best = other.ns < best.ns ? other : best;
        }
        return best;
    }

    /// Of a kernel that copies blocks: other kernels were priced in all of theirs.
    Point best_group(const Point& from)
    {
        Point best = from;
        for (std::size_t g = 0; copies_blocks(from.kernel) && g < space_.groups(from.kernel).size();
             ++g) {
            const Point other = price_group(from.kernel, g);
            best = other.ns < best.ns ? other : best;
        }
        return best;
    }

    [[nodiscard]] bool copies_blocks(std::size_t kernel) const
    {
        return space_.kernel(kernel).stage > 0;
    }

    [[nodiscard]] std::optional<GroupChoice> group_of(const Point& point) const
    {
        return point.index < 0
                   ? std::nullopt
                   : std::optional(space_.groups(point.kernel)[space_.place(point.index).group]);
    }

    /// In the best of its work-groups; one that copies blocks, of which each group is a kernel of
    /// its own to the model, in the group that is nearest to the given one.
    Point price(std::size_t kernel, const std::optional<GroupChoice>& near)
    {
        const std::span<const GroupChoice> groups = space_.groups(kernel);
        if (groups.empty()) {
            return {kernel};
        }
        if (copies_blocks(kernel)) {
            const auto nearest =
                !near ? groups.begin() + std::ssize(groups) / 2
                      : std::ranges::min_element(groups, {}, [&](const GroupChoice& group) {
                            return distance(group, *near);
                        });
            return price_group(kernel, static_cast<std::size_t>(nearest - groups.begin()));
        }
        return asked(kernels_, kernel, kernel, [&] { return costs_.of_kernel(kernel); });
    }

    Point price_group(std::size_t kernel, std::size_t group)
    {
        return asked(groups_, space_.first(kernel) + static_cast<std::int64_t>(group), kernel,
                     [&] { return costs_.of_group(kernel, group); });
    }

    /// Once for each key.
    template <class Key, class Ask>
    Point asked(std::unordered_map<Key, Point>& known, Key key, std::size_t kernel, const Ask& ask)
    {
        const auto [found, fresh] = known.try_emplace(key, Point{kernel});
        if (fresh) {
            const ModelCosts::Costs costs = ask();
            if (!costs.priced.empty()) {
                const ModelCosts::Cost& best = *std::ranges::min_element(costs.priced);
                found->second = {kernel, best.ns, best.index};
            }
            seen_ += costs;
            if (progress_) {
                // nobody knows
                progress_(static_cast<double>(known.size()) /
                          static_cast<double>(known.size() + 64));
            }
        }
        return found->second;
    }

    const ModelCosts& costs_;
    const ConfigurationSpace& space_;
    const std::function<void(double)>& progress_;
    KernelKnobs knobs_;
    std::vector<Step> steps_;
    std::unordered_map<std::size_t, Point> kernels_; ///< that were asked for
    /// Of kernels that copy blocks, by number in the space.
    std::unordered_map<std::int64_t, Point> groups_;
    ModelCosts::Costs seen_;
};

} // namespace

Ranking rank_by_descent(const ModelCosts& costs, std::size_t keep,
                        const std::function<void(double)>& progress, const TieBreaker& ties,
                        int random_starts)
{
    const ConfigurationSpace& space = costs.space();
    if (space.kernel_count() == 0) {
        return ranking_of(space, {}, keep);
    }
    Descent descent(costs, progress);
    descent.from(0);
    descent.from(descent.far_end());
    std::mt19937_64 random(1); // the same choice each time
    for (int start = 0; start < random_starts && space.listed().size() < space.kernel_count();
         ++start) {
        descent.from(static_cast<std::size_t>(uniform_below(random, space.kernel_count())));
    }
    return ranking_of(space, std::move(descent).seen(), keep, ties);
}

Ranking first_by_model(const ModelCosts& costs, std::size_t keep,
                       const std::function<void(double)>& progress, const TieBreaker& ties)
{
    constexpr std::size_t few = 4096;
    return costs.space().kernel_count() <= few ? rank_by_model(costs, keep, progress, ties)
                                               : rank_by_descent(costs, keep, progress, ties);
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
