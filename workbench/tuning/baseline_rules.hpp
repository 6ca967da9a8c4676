#pragma once

#include "devices/profile/device_profile.hpp"
#include "workbench/space/configuration_space.hpp"

#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::tuning {

/// What others try, as rules over our kernels: the tile, memory layout and work-groups that a
/// framework's OpenCL back end chooses from, said in A, T, W and G. The arithmetic is ours, so that
/// a difference between two of them is one of configuration, not of text.
enum class Baseline {
    /// MNN: two or three tiles for a convolution, work-groups of powers of two, each run once.
    mnn,
    mace, ///< MACE: one tile, 30 (10 for two dimensions) candidates for the work-group
    /// TFLite's GPU delegate: the tile by how many waves there are, work-groups that divide the
    /// grid.
    tflite,
    vanilla, ///< TMModel's base version: no tile, no choice of pattern, searched work-group
    sgemm,   ///< matrix product of the phone-training study: naive, vectorised, tiled, both
};
struct BaselineRow {
    Baseline kind;
    const char* name; ///< "mnn", ...: of `--strategy` too
    std::vector<Schedule> (*schedules)(const Operator& op, const DeviceProfile& device);
};
/// In the order of the kinds: a new one is a kind, its rule and its row.
[[nodiscard]] std::span<const BaselineRow> all_baselines();
[[nodiscard]] std::string to_string(Baseline baseline);

/// The configurations that the baseline would try, each once, in its own order; all are legal and
/// within the device's limit of work-items. Throws bad_input where the baseline has no rule for the
/// operator: mnn, mace and tflite have them for matmul and conv2d, sgemm for matmul, vanilla for
/// all.
[[nodiscard]] std::vector<Schedule> baseline_schedules(Baseline baseline, const Operator& op,
                                                       const DeviceProfile& device);

/// What rules look at: an output's channels, and its places.
struct OutputShape {
    std::int64_t channels = 1;
    std::int64_t width = 1;
    std::int64_t height = 1; ///< with the batch
};
/// Tiles of channels, width and height that MNN's convolutions are written for (`one_tap`: a 1x1
/// kernel): it runs each of them.
[[nodiscard]] std::vector<Dim3> mnn_tiles(bool one_tap);
/// The tile that TFLite takes for a convolution: on an Adreno by waves on a core, else, as on a
/// Valhall Mali in single precision, by texels on a core.
[[nodiscard]] Dim3 tflite_tile(const OutputShape& shape, const DeviceProfile& device);
/// Work-groups that TFLite runs for a grid of tiles along channels, width and height: sides that
/// divide the grid's, 32 work-items or more; else small parts of it, then small numbers.
[[nodiscard]] std::vector<Dim3> tflite_groups(const Dim3& grid, const DeviceProfile& device);

/// The schedules as a space: the same elements, neighbours that share a kernel together.
[[nodiscard]] ConfigurationSpace space_of(const std::vector<Schedule>& schedules);

} // namespace texelscope::workbench::tuning
