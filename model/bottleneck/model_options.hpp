#pragma once

#include "base/layers.hpp"
#include "sim/options/settings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::model {

/// Options of the model that are not options of the simulator. They are set by `--set` and by
/// device profiles under the keys of model_settings(), such as `model.overlap`.
struct ModelOptions {
    /// Exponent, 1 to 64, by which the bottleneck model joins its bounds (bottleneck_cost()).
    /// Without one (written as 0), each round takes as long as its slowest bound.
    std::optional<double> overlap = {};

    bool operator==(const ModelOptions&) const = default;
};

/// Throws bad_input where a value is out of range.
void validate(const ModelOptions& options);

/// Keys, units and help of these options, in the form of the simulator's settings
/// (sim/options/settings.hpp).
[[nodiscard]] const std::vector<Setting>& model_settings();
/// Sets an option if the key is one of the model's, and returns whether it is. Throws bad_input for
/// a text that is no value of the key.
bool set(ModelOptions& options, const std::string& key, const std::string& value);
/// The value of an option as text. The key must be one of model_settings().
[[nodiscard]] std::string get(const ModelOptions& options, const std::string& key);

} // namespace texelscope::model
