#pragma once

#include "workbench/space/narrowed.hpp"
#include "workbench/space/pruning_conditions.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/tuning/strategy.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::tuning {

/// What a search asks of the model.
struct ModelQuestion {
    VariantChoice variant; ///< why: empty where somebody named it
    std::function<Calibration()> calibration;
    std::optional<PruningOptions> pruning; ///< nothing: nothing is left out
    /// Where loads are counted for each work-item and nothing is left, they are counted once
    /// instead.
    bool counts_again = true;
};

/// The model made ready for a space.
struct OrderingModel {
    VariantChoice choice;
    ModelOrder order;
    ConfigurationSpace space; ///< what pruning leaves of it
    std::optional<SpaceCounts> pruned;
    std::vector<std::string> off; ///< switched_off() criteria
    bool shared_once = false;     ///< loads are counted once since nothing was left

    [[nodiscard]] std::int64_t excluded() const { return pruned ? pruned->excluded() : 0; }
};

/// Throws Interrupted, and what the calibration throws.
[[nodiscard]] OrderingModel ordering_model(const ModelQuestion& question, const Operator& op,
                                           const DeviceProfile& device, ConfigurationSpace space,
                                           const StopToken& stop = {});

} // namespace texelscope::workbench::tuning
