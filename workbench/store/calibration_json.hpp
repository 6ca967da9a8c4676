#pragma once

#include "model/tmmodel/calibration.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace texelscope::workbench::store {

/// A calibration with the name of the device that it was measured on.
struct NamedCalibration {
    std::string device;
    Calibration calibration;
};

/// The calibration with every sample, without the schema and the program's version.
[[nodiscard]] nlohmann::ordered_json to_json(const NamedCalibration& calibration);
/// The same object as text, with the schema but without the program's version.
[[nodiscard]] std::string calibration_text(const NamedCalibration& calibration);
/// Reads a calibration from JSON, with or without the program's version; it equals the one that was
/// written. `path`: what messages call it. Throws bad_input where the text is no calibration.
[[nodiscard]] NamedCalibration parse_calibration(const std::string& text, const std::string& path);

[[nodiscard]] nlohmann::ordered_json to_json(const FitError& error);

} // namespace texelscope::workbench::store
