#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/tuning/search.hpp"
#include "workbench/tuning/strategy.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::tuning {

/// What TMModel is compared with (section 6.1, table 2).
enum class Framework { mnn, clml, tvm, tflite, ppt_gpu };
inline constexpr std::array all_frameworks{Framework::mnn, Framework::clml, Framework::tvm,
                                           Framework::tflite, Framework::ppt_gpu};

/// What a framework chooses from for an operator, and how. What it does not optimise (table 2) is
/// that of framework_kernel(), lanes in their natural order:
/// - MNN: G, each run once: its own tiles and work-groups where baseline_schedules() has them, else
///   its kernel with groups of sides that are powers of two;
/// - CLML: G from a short list, each run once (local_size_space());
/// - TVM: T and G, learned_search() with 64 runs;
/// - TFLite: T and G: tile by rule, work-groups that divide the grid, each run once, where
///   baseline_schedules() has them; else 64 draws from those of TVM;
/// - PPT-GPU: A and the warp shape by reuse distances (pattern_space()), one run.
struct FrameworkRow {
    const char* name;
    const char* key; ///< of `--strategy as-KEY`
    /// Whether the paper has the framework run it (table 3 and its dashes).
    bool (*runs)(const Operator& op);
    /// Throws bad_input where nothing fits the device.
    ConfigurationSpace (*space)(const Operator& op, const DeviceProfile& device);
    const char* (*strategy)(const Operator& op); ///< by name
};
/// In the order of all_frameworks.
[[nodiscard]] std::span<const FrameworkRow> frameworks();
/// "MNN", "CLML", "TVM", "TFLite", "PPT-GPU".
[[nodiscard]] std::string to_string(Framework framework);
[[nodiscard]] bool runs(Framework framework, const Operator& op);

struct FrameworkSearch {
    ConfigurationSpace space;
    Strategy strategy;
    SearchBudget budget; ///< how many configurations it runs at most
};
/// Throws bad_input where nothing fits the device.
[[nodiscard]] FrameworkSearch framework_search(Framework framework, const Operator& op,
                                               const DeviceProfile& device);

/// Kernels with these patterns and every tile and work-group of configuration_space(), lanes in
/// their natural order: T and G alone. Throws bad_input where nothing fits the device.
[[nodiscard]] ConfigurationSpace tile_space(const Operator& op, const DeviceProfile& device,
                                            const std::vector<AccessPattern>& patterns);

} // namespace texelscope::workbench::tuning
