#pragma once

#include "base/layers.hpp"

#include <array>
#include <string>
#include <vector>

namespace texelscope::model {

/// How the paper's symbols are read where its text leaves them open (docs/reference/model.md,
/// "Readings"). As it stands here: as printed.
struct Reading {
    /// H of equation 1.
    enum class Strides {
        total,   ///< of a thread from its first read to its last
        average, ///< of a read: "frequency" (section 4)
        fresh,   ///< total, of strides into blocks that are not cached any more (beyond the paper)
    } strides = Strides::total;
    /// What equation 6 has in its numerator.
    enum class Counted {
        work_groups,   ///< of all cores
        warps,         ///< of all cores
        warps_of_core, ///< of the core with the most work-groups, each of which is on one core
    } counted = Counted::work_groups;
    /// What an occupancy group has to fit into.
    enum class Fits { registers, registers_and_units } fits = Fits::registers;
    /// w of equation 3.
    enum class Width {
        distinct, ///< thread indices of the input that a warp has
        warp,     ///< |W|, as in equation 2
    } width = Width::distinct;
    /// Whose lines are in the L1 at a time.
    enum class Sharing { warp, occupancy_group } sharing = Sharing::warp;
    /// s of a thread that computes a tile.
    enum class Distance {
        pattern, ///< the pattern's
        tile,    ///< as often as the tile has such walks
    } distance = Distance::pattern;

    bool operator==(const Reading&) const = default;
};
/// Of all choices but fresh strides, the printed one first.
[[nodiscard]] std::vector<Reading> all_readings();
/// Its differences from the printed one, e.g. "warps of a core; registers and units"; "as printed".
[[nodiscard]] std::string to_string(const Reading& reading);

enum class ModelVariant {
    literal, ///< Reading{}
    refined, ///< the reading under which choices are best: best_reading()
    /// Refined, and L_t from strides into fresh blocks: what is still cached costs nothing to
    /// return to.
    reuse_aware,
    /// bottleneck_cost(): from the profile's layout, caches, latencies and bandwidths, without
    /// calibration.
    bottleneck,
};
inline constexpr std::array all_model_variants{ModelVariant::literal, ModelVariant::refined,
                                               ModelVariant::reuse_aware, ModelVariant::bottleneck};
[[nodiscard]] std::string to_string(ModelVariant variant);
/// Throws bad_input for an unknown name.
[[nodiscard]] ModelVariant parse_model_variant(const std::string& text);

/// The reading under which choices are best on the shapes that docs/reference/model.md, "Readings",
/// chooses on: work-groups are whole on a core; of its warps, as many run together as registers and
/// ALUs take; w is |W|, as in equation 2.
[[nodiscard]] Reading best_reading();

/// Levels of the paper's model. Each knows what those before it know, and more: the walk of a
/// work-item (A and T), the warp that it is in (W), all work-groups (G).
enum class ModelLevel { thread, warp, integrated };
inline constexpr std::array all_model_levels{ModelLevel::thread, ModelLevel::warp,
                                             ModelLevel::integrated};
[[nodiscard]] std::string to_string(ModelLevel level);

} // namespace texelscope::model
