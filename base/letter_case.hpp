#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::base {

/// ASCII letters as small ones, whatever the locale.
[[nodiscard]] std::string lower_case(std::string text);
/// ASCII letters as capitals, whatever the locale.
[[nodiscard]] std::string upper_case(std::string text);

} // namespace texelscope::base
