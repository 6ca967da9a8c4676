#pragma once

#include "base/progress.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/study/prediction.hpp"
#include "networks/plan/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// A network with the schedules and layouts that the model would take.
struct PredictedPlan {
    networks::Plan plan;
    std::vector<Nanoseconds> predicted; ///< of each kernel
    std::int64_t searched = 0;          ///< configurations in the spaces of all different kernels
    std::int64_t evaluated = 0;         ///< of them, those that were looked at

    [[nodiscard]] Nanoseconds total() const;
};

struct NetworkSearchOptions {
    std::string parts = "ATGRM"; ///< letters of the parts of schedules that are searched
    int random_starts = 0;       ///< of the descent, see rank_by_descent()
    std::size_t schedules = 4;   ///< of a kernel, the first of its ranking, that are tried in other layouts
    bool fuse = true;
};

/// Chooses the kernels' schedules and the values' layouts together. Each kernel that differs from those before it is ranked by the
/// model, its inputs in the layouts that the schedule says; the first of that are priced in every layout of its inputs. A write costs
/// what it stores, in whatever pattern, so that a value lies as is best for those who read it, all of them together. Throws
/// Interrupted, and bad_input where a kernel has no legal schedule on the device.
[[nodiscard]] PredictedPlan best_plan(const networks::Graph& graph, const DeviceProfile& device,
                                      const NetworkSearchOptions& options = {}, const Progress& progress = {},
                                      const StopToken& stop = {});

} // namespace texelscope::experiments
