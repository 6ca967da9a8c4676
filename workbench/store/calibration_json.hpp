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

/// With every sample, without schema and version of the program.
[[nodiscard]] nlohmann::ordered_json to_json(const NamedCalibration& calibration);
/// The same as text, with the schema alone.
[[nodiscard]] std::string calibration_text(const NamedCalibration& calibration);
/// Either text; what is read is equal to what was written. `path` is what messages call it. Throws
/// bad_input where it is no calibration.
[[nodiscard]] NamedCalibration parse_calibration(const std::string& text, const std::string& path);

[[nodiscard]] nlohmann::ordered_json to_json(const FitError& error);

} // namespace texelscope::workbench::store
