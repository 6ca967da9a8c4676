#pragma once

#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/tuning/descent.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

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
/// With the best of the work-groups that were looked at.
using PricedKernel = Priced<KernelPoint>;
using KernelKnob = Knob<KernelPoint>;

/// The bottleneck model's time of a kernel at a point, in ns; no_cost where it has none.
[[nodiscard]] double price_of(const networks::NodeKernel& kernel, const KernelPoint& point,
                              const DeviceProfile& device);

using Tile = std::vector<std::int32_t>;
using KernelChange = std::function<void(KernelPoint&)>;
/// What each of the changes makes of a point.
[[nodiscard]] KernelKnob knob_of(std::vector<KernelChange> changes);
/// The point with each of the tiles.
[[nodiscard]] KernelKnob tile_knob(std::vector<Tile> tiles);

/// What a search of a kernel's schedule chooses from.
struct KernelChoices {
    /// Keys of those that are searched; A and M of constants, as layouts of values are given.
    std::string parts = "ATGRM";
    /// T is one of these; empty: as in the spaces of operators, and deeper.
    std::vector<Tile> tiles = {};
    std::vector<Dim3> groups = {}; ///< G likewise
};

/// The model's times of one kernel of a network under any schedule, its values in any layouts.
class KernelProblem {
public:
    using Point = KernelPoint;
    using Key = std::string;
    struct Answer {
        PricedKernel best;
        std::vector<PricedKernel> next; ///< in its other work-groups, the best first; few
    };

    /// `kernel`, `device` and `stop` must outlive it. `made`: of each input, whether its layout is
    /// given.
    KernelProblem(const networks::NodeKernel& kernel, const std::vector<bool>& made,
                  const DeviceProfile& device, KernelChoices choices, const StopToken& stop);

    /// All but where the output lies, which costs the same everywhere, and the work-group.
    [[nodiscard]] Key key(const KernelPoint& point) const;
    /// In the best of the work-groups that are near the point's own: sides at most twice or half as
    /// long; of all where it has none. Throws Interrupted.
    Answer ask(const KernelPoint& point);

    /// Where tiles are searched, those of a coarse grid, or all that there are to choose from: for
    /// the first step of a search.
    [[nodiscard]] const std::vector<Tile>& tiles() const { return tiles_; }
    /// One for each part beside G: tiles next to the point's, further parts, patterns and memory of
    /// constants.
    [[nodiscard]] const std::vector<KernelKnob>& knobs() const { return knobs_; }

    /// Configurations that there are, the values in any one layout.
    [[nodiscard]] std::int64_t searched() const;
    [[nodiscard]] std::int64_t evaluated() const { return evaluated_; }

private:
    void add(std::vector<KernelChange> changes);
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
    std::vector<Tile> tiles_;
    std::vector<KernelKnob> knobs_;
    std::int64_t kernels_ = 1; ///< that there are, whatever their work-groups
    std::map<std::int32_t, std::vector<GroupChoice>> groups_; ///< by split
    std::int64_t evaluated_ = 0;
};

using KernelSearch = Descent<KernelProblem>;
/// Of the time: what a knob has to leave at most for the search to go on.
inline constexpr double worth_going_on = 0.99;

/// The problem's tiles, the best first for the point.
[[nodiscard]] std::vector<Tile> ranked_tiles(KernelSearch& search, const KernelPoint& from);

/// The first of all that were priced, the best first, the output as these layouts have it. Two of
/// each kind (layouts of inputs and R) come before further ones.
[[nodiscard]] std::vector<PricedKernel>
first_of(const KernelSearch& search, const codegen::GivenLayouts& layouts, std::size_t most);

} // namespace texelscope::workbench::network_studies
