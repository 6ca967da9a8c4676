#pragma once

#include "cli/command.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/tmmodel/calibration.hpp"
#include "workbench/store/calibration_json.hpp"
#include "workbench/study/default_variant.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace texelscope::cli {

/// The JSON that `calibrate -o` writes; reading it back gives an equal calibration.
[[nodiscard]] ordered_json calibration_json(const NamedCalibration& calibration);
/// Throws bad_input where the file cannot be read or is no calibration.
[[nodiscard]] NamedCalibration read_calibration(const std::string& path);

/// "WHAT: held-out error ..; training error ..".
[[nodiscard]] std::string error_line(const std::string& what, const FitError& training,
                                     const FitError& held_out);

/// `--calibration FILE`: what the model knows of the device. Without it, the model is calibrated on
/// the simulated device, and the result is kept in the cache folder for the next time.
struct CalibrationArgument {
    std::string file; ///< empty: fitted on the simulated device

    void add_to(CLI::App& parser);
    /// Throws bad_input where the file's calibration was fitted with another number of lines in L1
    /// than the device has, or with other block shapes than this version counts.
    [[nodiscard]] Calibration of(const DeviceProfile& device, std::uint64_t seed) const;
    /// The variant of that name; without one, the default for such a calibration.
    [[nodiscard]] VariantChoice variant(const std::string& name) const;
    /// Where the calibration is from, for a line of text.
    [[nodiscard]] std::string origin() const;
};

} // namespace texelscope::cli
