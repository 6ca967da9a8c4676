#include "model/tmmodel/held_out_errors.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace texelscope::model {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double log_error(Nanoseconds measured, Nanoseconds predicted)
{
    return predicted.value > 0 ? std::abs(std::log(measured.value / predicted.value)) : infinity;
}

/// The k-th smallest, k = ceil((n + 1) level); infinite where there are fewer.
double conformal_quantile(const std::vector<double>& ascending, double level)
{
    // Less than a walk's share is rounding: (9 + 1) 0.9 is the ninth.
    const double k =
        std::max(1.0, std::ceil(static_cast<double>(ascending.size() + 1) * level - 1e-9));
    return k <= static_cast<double>(ascending.size()) ? ascending[static_cast<std::size_t>(k) - 1]
                                                      : infinity;
}

} // namespace

HeldOutErrors::HeldOutErrors(const std::vector<WalkSample>& walks,
                             const std::vector<Nanoseconds>& held_out)
    : region_(walks)
{
    if (held_out.size() != walks.size()) {
        throw bad_input(fmt::format("{} held-out times of {} walks", held_out.size(), walks.size()),
                        "held-out errors", "calibrate again");
    }
    const std::vector<double>& distances = region_.walk_distances();
    std::vector<std::size_t> order(walks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; });

    const std::size_t count =
        std::clamp<std::size_t>(walks.size() / least_in_group, 1, most_groups);
    for (std::size_t g = 0; g < count; ++g) {
        Group group;
        for (std::size_t i = g * order.size() / count; i < (g + 1) * order.size() / count; ++i) {
            const std::size_t walk = order[i];
            group.up_to = distances[walk];
            group.errors.push_back(log_error(walks[walk].per_access, held_out[walk]));
        }
        std::sort(group.errors.begin(), group.errors.end());
        groups_.push_back(std::move(group));
    }
}

ErrorBound HeldOutErrors::bound(const CrossBlockHistogram& histogram, double level) const
{
    return bound(region_.distance(histogram), level);
}

ErrorBound HeldOutErrors::bound(double distance, double level) const
{
    if (!(level > 0 && level < 1)) {
        throw bad_input("the level is not between 0 and 1", "held-out errors");
    }
    double largest = 0;
    for (const Group& group : groups_) {
        largest = std::max(largest, conformal_quantile(group.errors, level));
        if (distance <= group.up_to) {
            return {largest, false};
        }
    }
    return {infinity, true};
}

} // namespace texelscope::model
