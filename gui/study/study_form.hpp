#pragma once

#include "experiments/study/study.hpp"
#include "experiments/study/study_form.hpp"

#include <string>
#include <vector>

namespace texelscope::gui {

/// Throws bad_input for whatever does not parse, for values that do not fit together, and for a configuration that is
/// illegal for the operator or breaks a limit of the device.
[[nodiscard]] StudyRequest to_request(const StudyForm& form);

/// The device alone, with the overrides. Throws bad_input as to_request() does.
[[nodiscard]] DeviceProfile device_of(const StudyForm& form);

/// The form that a file asks for: a study's own, or the given one on another device, for a device profile. Throws bad_input
/// for another file, and for one that is broken.
[[nodiscard]] StudyForm opened(const std::string& path, const StudyForm& present);

/// The configuration with the pattern of one input replaced. Throws bad_input where the text does not parse or has no
/// such input.
[[nodiscard]] std::string with_pattern(const std::string& config, std::size_t input, AccessPattern pattern);

} // namespace texelscope::gui
