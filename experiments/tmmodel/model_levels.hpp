#pragma once

#include "experiments/shared/choices.hpp"
#include "model/tmmodel/model_variant.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.4 with figure 10: choices by each level of the model, against those by all
// levels together.

/// A chooser: a variant of the model that uses its levels up to this one.
struct ModelChooser {
    ModelVariant variant;
    ModelLevel level;
    const char* name;
};
inline constexpr std::array<ModelChooser, 8> model_choosers{{
    {ModelVariant::literal, ModelLevel::thread, "literal L_t"},
    {ModelVariant::literal, ModelLevel::warp, "literal L_w"},
    {ModelVariant::literal, ModelLevel::integrated, "literal"},
    {ModelVariant::refined, ModelLevel::thread, "refined L_t"},
    {ModelVariant::refined, ModelLevel::warp, "refined L_w"},
    {ModelVariant::refined, ModelLevel::integrated, "refined"},
    {ModelVariant::reuse_aware, ModelLevel::integrated, "reuse-aware"},
    {ModelVariant::bottleneck, ModelLevel::integrated, "bottleneck"},
}};
/// Place of a variant, integrated, among them.
[[nodiscard]] std::size_t place_of_variant(ModelVariant variant);
/// The names of all, and of `more` behind them.
[[nodiscard]] std::vector<std::string> chooser_names(const std::vector<std::string>& more);

/// By chooser, the elements of a space that it puts first: all whose cost is the least, up to
/// rounding. There may be many, because a level knows nothing of the parts of a schedule that only
/// later levels look at. Throws Interrupted.
[[nodiscard]] std::vector<std::vector<std::int64_t>>
first_of_choosers(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
                  const Calibration& calibration, const StopToken& stop = {});

/// The findings on the levels, for `literal` and for `refined`, from ratios whose first choosers
/// are model_choosers. `why`: the explanation where they do not hold.
[[nodiscard]] std::vector<Finding> level_findings(const ChoiceRatios& choices,
                                                  const std::string& why = {});

} // namespace texelscope::experiments
