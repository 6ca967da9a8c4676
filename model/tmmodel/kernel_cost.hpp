#pragma once

#include "base/units.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "model/tmmodel/calibration.hpp"
#include "model/tmmodel/thrash_decay.hpp"
#include "sim/observers/cross_block_histogram.hpp"
#include "sim/options/options.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::model {

/// What the model needs to know of a device, beside its calibration.
struct ModelDevice {
    std::int64_t cache_lines = 0; ///< C, of the L1 texture cache
    int cores = 1;                ///< SPs
    int warp_size = 64;
    int occupancy = 1; ///< warps per core for the kernel in question (equation 4)
    int executing = 0; ///< warps whose arithmetic a core does at once, in whole warps, 1 or more; 0: not known
};

/// The model's view of a simulated device. The occupancy is that of KernelDemand::registers_per_item, which the kernel sets;
/// it is capped at the core's warp limit. Throws bad_input where the options are invalid.
[[nodiscard]] ModelDevice model_device(const SimulationOptions& options);

/// What the model needs to know of one configuration.
struct ModelKernel {
    struct Input {
        std::string image;
        std::string pattern;
        CrossBlockHistogram histogram; ///< of the reads of this image by `items` work-items, added up
        CrossBlockHistogram fresh;     ///< the same from fresh_block_histogram(); needed by reuse_aware alone
        std::int64_t items = 1;        ///< L_t is the mean over them; 1: the histograms are one work-item's
        WarpInput warp;
        std::int64_t tile = 1; ///< sides of the tile along which its reads differ, multiplied
    };
    std::vector<Input> inputs;
    std::int64_t work_groups = 1; ///< WGs = prod_j ceil(O_j / (T_j G_j)) (equation 5)
    std::int64_t warps_per_group = 1;
    std::int64_t warp_items = 1; ///< |W| = min(w_x w_y, warp size)

    /// What the bottlenecks are found from; needed by that variant alone. `stream.inputs` are `inputs`.
    struct Rounds {
        ReadStream stream;
        WorkGrid grid;
        SimulationOptions options; ///< the device's, with the kernel's registers and arithmetic
        ModelOptions model;
    };
    std::optional<Rounds> rounds;
};

/// How the paper's symbols are read where its text leaves them open (docs/reference/model.md, "Readings"). As it stands here: as
/// printed.
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
    literal,     ///< Reading{}
    refined,     ///< the reading under which choices are best: best_reading()
    reuse_aware, ///< refined, and L_t from strides into fresh blocks: what is still cached costs nothing to return to
    bottleneck, ///< bottleneck_cost(): from the profile's layout, caches, latencies and bandwidths, without calibration
};
inline constexpr std::array all_model_variants{ModelVariant::literal, ModelVariant::refined, ModelVariant::reuse_aware,
                                               ModelVariant::bottleneck};
[[nodiscard]] std::string to_string(ModelVariant variant);
/// Throws bad_input for an unknown name.
[[nodiscard]] ModelVariant parse_model_variant(const std::string& text);

/// The reading under which choices are best on the shapes that docs/reference/model.md, "Readings", chooses on: work-groups are
/// whole on a core; of its warps, as many run together as registers and ALUs take; w is |W|, as in equation 2.
[[nodiscard]] Reading best_reading();

/// Levels of the paper's model. Each knows what those before it know, and more: the walk of a work-item (A and T), the warp that it
/// is in (W), all work-groups (G).
enum class ModelLevel { thread, warp, integrated };
inline constexpr std::array all_model_levels{ModelLevel::thread, ModelLevel::warp, ModelLevel::integrated};
[[nodiscard]] std::string to_string(ModelLevel level);

/// The prediction, level by level. Of the bottlenecks: `thread` is what the reads of an input take in a wave, L_w their sum,
/// L_g the waves, rounded up (the cost is that of whole and partial waves, and of the launch).
struct KernelCost {
    std::vector<Nanoseconds> thread;   ///< L_t of each input (equation 1)
    std::int64_t exponent = 0;         ///< of D, over all inputs together
    Nanoseconds warp{0};               ///< L_w = sum_i L_t(H_i) * D^exponent (equation 3)
    std::int64_t occupancy_groups = 1; ///< L_g (equation 6)
    Nanoseconds kernel{0};             ///< L = L_w * L_g (equation 7)

    /// What is least at the level's choice: L_t of all inputs together, L_w, or L.
    [[nodiscard]] Nanoseconds at(ModelLevel level) const;
};

/// Throws bad_input where a count of the kernel or the device is not positive, or a histogram has other block shapes
/// than the calibration (none, where the histogram, the fit or the rounds that the variant needs are missing).
[[nodiscard]] KernelCost predict(const ModelKernel& kernel, const ModelDevice& device, const Calibration& calibration,
                                 ModelVariant variant);
/// The paper's equations in a reading.
[[nodiscard]] KernelCost predict(const ModelKernel& kernel, const ModelDevice& device, const Calibration& calibration,
                                 const Reading& reading);

} // namespace texelscope::model
