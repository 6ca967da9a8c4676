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

/// How many of a kernel's inputs, from the first on, are worth a search of where they lie: the
/// factors of its products. Other inputs are read once by each work-item at the end, or are small.
/// If nothing is multiplied, all of them.
[[nodiscard]] std::size_t placed_inputs(const networks::NodeKernel& kernel);

/// A kernel, and where its values lie: what the model prices.
struct KernelPoint {
    Schedule schedule; ///< patterns and memory of values that have a layout do not count
    codegen::GivenLayouts layouts;

    bool operator==(const KernelPoint&) const = default;
};
/// A point with its time, in the best of the work-groups that were looked at.
using PricedKernel = Priced<KernelPoint>;
using KernelKnob = Knob<KernelPoint>;

/// The bottleneck model's time of a kernel at a point, in ns; no_cost where it has none.
[[nodiscard]] double price_of(const networks::NodeKernel& kernel, const KernelPoint& point,
                              const DeviceProfile& device);

using Tile = std::vector<std::int32_t>;
using KernelChange = std::function<void(KernelPoint&)>;
/// A knob that makes a point of each of the changes.
[[nodiscard]] KernelKnob knob_of(std::vector<KernelChange> changes);
/// A knob that makes a point of each of the tiles.
[[nodiscard]] KernelKnob tile_knob(std::vector<Tile> tiles);

/// What a search of a kernel's schedule chooses from.
struct KernelChoices {
    /// Keys of the parts that are searched. A and M are those of constants, as layouts of values
    /// are given.
    std::string parts = "ATGRM";
    /// The tiles to choose T from; empty: those of the operator's space, and deeper ones.
    std::vector<Tile> tiles = {};
    std::vector<Dim3> groups = {}; ///< G likewise
};

/// What a Descent (workbench/tuning) asks: the model's time of one kernel of a network under any
/// schedule, with its values in any layouts.
class KernelProblem {
public:
    using Point = KernelPoint;
    using Key = std::string;
    struct Answer {
        PricedKernel best;
        std::vector<PricedKernel> next; ///< in its other work-groups, the best first; few
    };

    /// `kernel`, `device` and `stop` must outlive this object. `made`: for each input, whether its
    /// layout is given.
    KernelProblem(const networks::NodeKernel& kernel, const std::vector<bool>& made,
                  const DeviceProfile& device, KernelChoices choices, const StopToken& stop);

    /// Everything that the price depends on: not where the output lies, which costs the same
    /// everywhere, and not the work-group.
    [[nodiscard]] Key key(const KernelPoint& point) const;
    /// The time in the best of the work-groups near the point's own (sides at most twice or half as
    /// long); if it has none, in the best of all. Throws Interrupted.
    Answer ask(const KernelPoint& point);

    /// The tiles for the first step of a search: a coarse grid, or all that there are to choose
    /// from. Empty where tiles are not searched.
    [[nodiscard]] const std::vector<Tile>& tiles() const { return tiles_; }
    /// One knob for each part except G: neighbouring tiles, further parts, patterns and memory of
    /// constants.
    [[nodiscard]] const std::vector<KernelKnob>& knobs() const { return knobs_; }

    /// How many configurations there are, with the values in any one layout.
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
/// The search goes on only if a knob brings the time down to this share of it, or lower.
inline constexpr double worth_going_on = 0.99;

/// The problem's tiles, the best for that point first.
[[nodiscard]] std::vector<Tile> ranked_tiles(KernelSearch& search, const KernelPoint& from);

/// The fastest of all points that were priced, the best first, with the output in its given layout.
/// Two of each kind (layouts of inputs, and R) come before further ones of a kind.
[[nodiscard]] std::vector<PricedKernel>
first_of(const KernelSearch& search, const codegen::GivenLayouts& layouts, std::size_t most);

} // namespace texelscope::workbench::network_studies
