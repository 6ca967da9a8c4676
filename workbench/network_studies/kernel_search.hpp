#pragma once

#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "workbench/space/configuration_space.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

inline constexpr double no_cost = std::numeric_limits<double>::infinity();

/// So many of a kernel's inputs, from the first on, are worth a search of where they lie: factors
/// of products. What else such a kernel reads is added at its end, once by each work-item, or is
/// small. Where nothing is multiplied: all.
[[nodiscard]] std::size_t placed_inputs(const networks::NodeKernel& kernel);

/// A kernel, and where its values lie: what the model prices.
struct KernelPoint {
    Schedule schedule; ///< patterns and memory of values that have a layout do not count
    codegen::GivenLayouts layouts;

    bool operator==(const KernelPoint&) const = default;
};
struct PricedKernel {
    KernelPoint point; ///< with the best of the work-groups that were looked at
    double ns = no_cost;
};

/// The bottleneck model's time of a kernel at a point, in ns; no_cost where it has none.
[[nodiscard]] double price_of(const networks::NodeKernel& kernel, const KernelPoint& point,
                              const DeviceProfile& device);

/// Ways to change a point, of which a search takes the best.
using KernelKnob = std::vector<std::function<void(KernelPoint&)>>;

/// What a search of a kernel's schedule chooses from.
struct KernelChoices {
    /// Letters of those that are searched; A and M of constants, as layouts of values are given.
    std::string parts = "ATGRM";
    /// T is one of these; empty: as in the spaces of operators, and deeper.
    std::vector<std::vector<std::int32_t>> tiles = {};
    std::vector<Dim3> groups = {}; ///< G likewise
};

/// The model's times of one kernel of a network under any schedule, its values in any layouts; each
/// is worked out once.
class KernelSearch {
public:
    /// `kernel`, `device` and `stop` must outlive it. `made`: of each input, whether its layout is
    /// given.
    KernelSearch(const networks::NodeKernel& kernel, const std::vector<bool>& made,
                 const DeviceProfile& device, KernelChoices choices, const StopToken& stop);

    /// In the best of the work-groups that are near the point's own: sides at most twice or half as
    /// long; of all where it has none. Throws Interrupted.
    const PricedKernel& price(const KernelPoint& point);

    /// Where tiles are searched, those of a coarse grid, or all that there are to choose from: for
    /// the first step of a search.
    [[nodiscard]] const KernelKnob& tiles() const { return tiles_; }
    /// One for each part beside G: tiles next to the point's, further parts, patterns and memory of
    /// constants.
    [[nodiscard]] const std::vector<KernelKnob>& knobs() const { return knobs_; }

    /// What the knob makes of the point, the best first.
    [[nodiscard]] KernelKnob ranked(const KernelPoint& from, const KernelKnob& knob);
    /// The best of the point and what the knob makes of it.
    PricedKernel turn(const KernelPoint& from, const KernelKnob& knob);
    /// Coordinate descent: one knob after the other goes to its best value, until none gains a
    /// hundredth.
    PricedKernel descend(const KernelPoint& from, const std::vector<KernelKnob>& knobs);

    /// The first of all that were priced, the best first, the output as these layouts have it. Two
    /// of each kind (layouts of inputs and R) come before further ones.
    [[nodiscard]] std::vector<PricedKernel> first(const codegen::GivenLayouts& layouts,
                                                  std::size_t most) const;

    /// Configurations that there are, the values in any one layout.
    [[nodiscard]] std::int64_t searched() const;
    [[nodiscard]] std::int64_t evaluated() const { return evaluated_; }

private:
    void add(KernelKnob knob);
    void add_tiles();
    void add_constants(const std::vector<bool>& made);
    [[nodiscard]] const std::vector<GroupChoice>& groups(const Schedule& schedule);
    [[nodiscard]] bool is_searched(char key) const
    {
        return choices_.parts.find(key) != std::string::npos;
    }

    const networks::NodeKernel& kernel_;
    const DeviceProfile& device_;
    KernelChoices choices_;
    const StopToken& stop_;
    KernelKnob tiles_;
    std::vector<KernelKnob> knobs_;
    /// That there are, whatever their work-groups.
    std::int64_t kernels_ = 1;
    std::map<std::int32_t, std::vector<GroupChoice>> groups_; ///< by split
    /// One at least, the best first, in as many work-groups.
    std::map<std::string, std::vector<PricedKernel>> known_;
    std::int64_t evaluated_ = 0;
};

} // namespace texelscope::workbench::network_studies
