#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "base/units.hpp"
#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "workbench/network_studies/kernel_search.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A network with the schedules and layouts that the model would take.
struct PredictedPlan {
    networks::Plan plan;
    std::vector<Nanoseconds> predicted; ///< of each kernel
    /// By kernel: further points that the search found, and those that other policies would choose,
    /// to be timed by another judge. Their values may lie elsewhere than in the plan, as a write
    /// costs the same in any layout.
    std::vector<std::vector<PricedKernel>> candidates;
    std::int64_t searched = 0;  ///< configurations in the spaces of all different kernels
    std::int64_t evaluated = 0; ///< how many of these were looked at, counting all layouts

    /// Predicted time of a run, on average over runs.
    [[nodiscard]] Nanoseconds total() const;
};

struct NetworkSearchOptions {
    std::string parts = "ATGRMLU"; ///< keys of the parts of schedules that are searched
    bool fuse = true;
    Storage storage = Storage::fp32; ///< of values and weights
    /// At most how many candidates of each kernel are kept beside the best.
    std::size_t candidates = 0;
    /// Key of the policy that plans: "ours", or that of another framework (LayoutPolicy). Then
    /// `parts` does not count: the parts that the framework tunes are searched.
    std::string policy = "ours";
};

/// Chooses the kernels' schedules and the values' layouts together:
/// 1. Each different kernel is searched by descent over its schedule and the layouts of what it
///    reads. The model prices a write by the bytes it stores, whatever the layout, so a value can
///    lie as its reader wants it.
/// 2. A value with several readers gets the layout, among those that they want, that is best for
///    all of them together.
/// 3. Every kernel is searched once more in the layouts that were chosen.
/// With candidates, the choices of the other policies are among them. With another policy than
/// "ours": plan_by_policy(). Throws Interrupted, and bad_input where a kernel has no legal schedule
/// on the device.
[[nodiscard]] PredictedPlan best_plan(const networks::Graph& graph, const DeviceProfile& device,
                                      const NetworkSearchOptions& options = {},
                                      const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
