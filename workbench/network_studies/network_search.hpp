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
    /// Of each kernel: what else the search came by, and what other policies would take, to be
    /// timed otherwise. Its values may lie otherwise: a write costs the same.
    std::vector<std::vector<PricedKernel>> candidates;
    std::int64_t searched = 0;  ///< configurations of all kernels that differ
    std::int64_t evaluated = 0; ///< of them, in whatever layouts, those that were looked at

    /// Of a run, on average.
    [[nodiscard]] Nanoseconds total() const;
};

struct NetworkSearchOptions {
    std::string parts = "ATGRMLU"; ///< keys of the parts of schedules that are searched
    bool fuse = true;
    Storage storage = Storage::fp32; ///< of values and weights
    std::size_t candidates = 0;      ///< of each kernel that are kept beside the best, at most
    /// Or another framework's, see LayoutPolicy: then the parts are what it tunes.
    std::string policy = "ours";
};

/// Chooses the kernels' schedules and the values' layouts together. Each kernel that differs from
/// those before it is searched by descent over its schedule and the layouts of what it reads. A
/// write costs what it stores, in whatever pattern, so that a value lies as the one who reads it
/// would have it; where several do, as is best for all of them together of what they would have.
/// Then every kernel is searched once more in the layouts that were chosen. With candidates, those
/// of the other policies are among them. With another policy: plan_by_policy(). Throws Interrupted,
/// and bad_input where a kernel has no legal schedule on the device.
[[nodiscard]] PredictedPlan best_plan(const networks::Graph& graph, const DeviceProfile& device,
                                      const NetworkSearchOptions& options = {},
                                      const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
