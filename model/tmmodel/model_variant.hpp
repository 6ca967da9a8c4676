#pragma once

#include "base/layers.hpp"

#include <array>
#include <string>
#include <vector>

namespace texelscope::model {

/// How the paper's symbols are read where its text leaves them open (docs/reference/model.md,
/// "Readings"). The default values are the paper as printed.
struct Reading {
    /// Which strides H of equation 1 counts.
    enum class Strides {
        total,   ///< all strides of a thread, from its first read to its last
        average, ///< strides of one read, on average: "frequency" (section 4)
        /// As total, but only strides into blocks that are no longer cached (not in the paper)
        fresh,
    } strides = Strides::total;
    /// What the numerator of equation 6 counts.
    enum class Counted {
        work_groups, ///< work-groups of all cores
        warps,       ///< warps of all cores
        /// Warps of the core with the most work-groups, if each group is whole on one core.
        warps_of_core,
    } counted = Counted::work_groups;
    /// What limits the warps of an occupancy group.
    enum class Fits { registers, registers_and_units } fits = Fits::registers;
    /// The width w of equation 3.
    enum class Width {
        distinct, ///< distinct thread indices of the input in a warp
        warp,     ///< |W|, as in equation 2
    } width = Width::distinct;
    /// Which warps' lines share the L1 at a time.
    enum class Sharing { warp, occupancy_group } sharing = Sharing::warp;
    /// The reuse distance s of a thread that computes a tile.
    enum class Distance {
        pattern, ///< that of the access pattern
        tile,    ///< that of the pattern, times the walks of the tile
    } distance = Distance::pattern;

    bool operator==(const Reading&) const = default;
};
/// All combinations of these choices without fresh strides. The first is the printed one.
[[nodiscard]] std::vector<Reading> all_readings();
/// How it differs from the printed reading, e.g. "warps of a core; registers and units"; "as
/// printed".
[[nodiscard]] std::string to_string(const Reading& reading);

enum class ModelVariant {
    literal, ///< Reading{}
    refined, ///< the reading under which choices are best: best_reading()
    /// As refined, but L_t counts strides into fresh blocks: returning to what is still cached
    /// costs nothing.
    reuse_aware,
    /// bottleneck_cost(): it works from the profile's layout, caches, latencies and bandwidths,
    /// without calibration.
    bottleneck,
};
inline constexpr std::array all_model_variants{ModelVariant::literal, ModelVariant::refined,
                                               ModelVariant::reuse_aware, ModelVariant::bottleneck};
[[nodiscard]] std::string to_string(ModelVariant variant);
/// Throws bad_input for an unknown name.
[[nodiscard]] ModelVariant parse_model_variant(const std::string& text);

/// The reading whose choices of configurations are best on the shapes named in
/// docs/reference/model.md, "Readings". In it, each work-group is whole on one core; as many of a
/// core's warps run together as registers and ALUs allow; and w is |W|, as in equation 2.
[[nodiscard]] Reading best_reading();

/// Levels of the paper's model. Each adds one thing to what the level before it knows: the walk of
/// a work-item (parts A and T of a schedule), the warp (W), all work-groups (G).
enum class ModelLevel { thread, warp, integrated };
inline constexpr std::array all_model_levels{ModelLevel::thread, ModelLevel::warp,
                                             ModelLevel::integrated};
[[nodiscard]] std::string to_string(ModelLevel level);

} // namespace texelscope::model
