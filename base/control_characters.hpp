#pragma once

#include "base/layers.hpp"

#include <string>
#include <string_view>

namespace texelscope::base {

/// Whether there is a control character in it: of ASCII or, as UTF-8, of Latin-1; ends of lines and
/// tabs are some.
[[nodiscard]] bool has_controls(std::string_view text);

/// Text for a terminal, which takes control characters for commands: U+FFFD is in their place. Ends
/// of lines and tabs stay.
[[nodiscard]] std::string without_controls(std::string_view text);

} // namespace texelscope::base
