#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::devices {

/// The serial number of the one phone that adb lists, whatever its state. Throws missing where
/// there is none, or adb is not installed; bad_input, naming them, where there are several.
[[nodiscard]] std::string only_phone();

} // namespace texelscope::devices
