#pragma once

#include "base/layers.hpp"
#include "sim/options/settings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::model {

/// What the model consumes beside the simulator's options: `model.overlap` of `--set` and of device
/// profiles.
struct ModelOptions {
    /// Exponent, 1 to 64, by which the bottleneck model joins its bounds (bottleneck_cost()).
    /// Nothing, written as 0: the slowest of each round.
    std::optional<double> overlap = {};

    bool operator==(const ModelOptions&) const = default;
};

/// Throws bad_input where a value is out of range.
void validate(const ModelOptions& options);

/// As those of the simulator's options (sim/options/settings.hpp).
[[nodiscard]] const std::vector<Setting>& model_settings();
/// Whether the key is one of the model's, and then sets it. Throws bad_input for a text that is no
/// value of the key.
bool set(ModelOptions& options, const std::string& key, const std::string& value);
/// Of a key of model_settings().
[[nodiscard]] std::string get(const ModelOptions& options, const std::string& key);

} // namespace texelscope::model
