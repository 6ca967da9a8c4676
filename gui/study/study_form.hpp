#pragma once

#include "experiments/study/study_form.hpp"

#include <string>
#include <vector>

namespace texelscope::gui {

/// The form that a file asks for: a study's own, or the given one on another device, for a device profile. Throws bad_input
/// for another file, and for one that is broken.
[[nodiscard]] StudyForm opened(const std::string& path, const StudyForm& present);

/// The configuration with the pattern of one input replaced. Throws bad_input where the text does not parse or has no
/// such input.
[[nodiscard]] std::string with_pattern(const std::string& config, std::size_t input, AccessPattern pattern);

} // namespace texelscope::gui
