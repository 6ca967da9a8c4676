#pragma once

#include "cli/calibration_file.hpp"
#include "cli/command.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/pruning_conditions.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/tuning/strategy.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// Options of `tune` for what the model has a say in: `--calibration`, `--variant`, `--prune`,
/// `--prune-loads`. Pruning leaves out configurations by Romou's criteria before the model ranks
/// any.
struct ModelArguments {
    CalibrationArgument calibration;
    std::string variant;            ///< empty: default_variant()
    std::vector<std::string> prune; ///< criteria; "all" for every one
    bool prunes = false;
    /// How they are counted; empty: as Romou does, and else where that leaves nothing.
    std::string loads;

    /// It must outlive the parser.
    void add_to(CLI::App& parser);
    /// The names of the options, for those who do not look at them.
    [[nodiscard]] static std::vector<std::string> names();
    [[nodiscard]] PruningOptions pruning() const;
};

/// The model made ready for a space.
struct TuneModel {
    VariantChoice choice;
    bool named = false; ///< by the user
    ModelOrder order;
    ConfigurationSpace space; ///< what pruning leaves of it
    std::optional<SpaceCounts> pruned;
    std::vector<std::string> off; ///< switched_off() criteria
    /// Loads are counted so as nothing is left by the rule of the paper.
    bool shared_once = false;

    [[nodiscard]] std::int64_t excluded() const { return pruned ? pruned->excluded() : 0; }
    /// "bottleneck", and why where nobody named it.
    [[nodiscard]] std::string text() const;
    /// What was pruned, as lines; empty without --prune.
    [[nodiscard]] std::string pruning_text() const;
    /// Adds "variant", "variant_because", "pruned" and "pruning".
    void add_to(ordered_json& out) const;
};

/// Throws Interrupted, and bad_input where the calibration does not fit the device.
[[nodiscard]] TuneModel tune_model(const ModelArguments& arguments, const Operator& op,
                                   const DeviceProfile& device, ConfigurationSpace space,
                                   std::uint64_t seed);

} // namespace texelscope::cli
