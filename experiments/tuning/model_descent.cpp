#include "experiments/tuning/model_descent.hpp"

#include "experiments/space/knobs.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace texelscope::experiments {
namespace {

constexpr std::size_t tile_sides = 3;

class Descent {
public:
    Descent(const ModelCosts& costs, const std::function<void(double)>& progress)
        : costs_(costs), progress_(progress), knobs_(kernel_knobs(costs.space())), best_(knobs_.size())
    {
        // The sides of a tile go together: what gains along one is lost along the other.
        const std::size_t tile = first_tile_knob(costs.space());
        steps_.push_back({tile, tile + tile_sides});
        for (std::size_t knob = 0; knob < knobs_.front().size(); ++knob) {
            if (knob < tile || knob >= tile + tile_sides) {
                steps_.push_back({knob, knob + 1});
            }
        }
    }

    void from(std::size_t kernel)
    {
        std::size_t unchanged = 0;
        for (std::size_t step = 0; unchanged < steps_.size(); ++step) {
            const std::size_t next = best_along(kernel, steps_[step % steps_.size()]);
            unchanged = next == kernel ? unchanged + 1 : 1;
            kernel = next;
        }
    }

    [[nodiscard]] std::vector<ModelCosts::Cost> seen() && { return std::move(seen_); }

private:
    struct Step {
        std::size_t first; ///< knobs from this
        std::size_t last;  ///< to before this one are turned together
    };

    std::size_t best_along(std::size_t kernel, const Step& step)
    {
        std::size_t best = kernel;
        for (std::size_t other = 0; other < knobs_.size(); ++other) {
            if (differ_within(knobs_[kernel], knobs_[other], step) && cost(other) < cost(best)) {
                best = other;
            }
        }
        return best;
    }

    static bool differ_within(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b, const Step& step)
    {
        const auto before = static_cast<std::ptrdiff_t>(step.first);
        const auto behind = static_cast<std::ptrdiff_t>(step.last);
        return std::equal(a.begin(), a.begin() + before, b.begin()) &&
               std::equal(a.begin() + behind, a.end(), b.begin() + behind);
    }

    /// That of its best work-group.
    double cost(std::size_t kernel)
    {
        std::optional<double>& best = best_[kernel];
        if (!best) {
            best = std::numeric_limits<double>::infinity();
            for (const ModelCosts::Cost& one : costs_.of_kernel(kernel)) {
                best = std::min(*best, one.ns);
                seen_.push_back(one);
            }
            if (progress_) {
                progress_(static_cast<double>(++asked_) / static_cast<double>(knobs_.size()));
            }
        }
        return *best;
    }

    const ModelCosts& costs_;
    const std::function<void(double)>& progress_;
    std::vector<std::vector<std::int64_t>> knobs_; ///< of each kernel
    std::vector<Step> steps_;
    std::vector<std::optional<double>> best_; ///< of each kernel, once it was asked for
    std::vector<ModelCosts::Cost> seen_;
    std::size_t asked_ = 0;
};

} // namespace

Ranking rank_by_descent(const ModelCosts& costs, std::size_t keep, const std::function<void(double)>& progress)
{
    const ConfigurationSpace& space = costs.space();
    if (space.kernels().empty()) {
        return ranking_of(space, {}, keep);
    }
    Descent descent(costs, progress);
    descent.from(0);
    descent.from(space.kernels().size() - 1);
    return ranking_of(space, std::move(descent).seen(), keep);
}

} // namespace texelscope::experiments
