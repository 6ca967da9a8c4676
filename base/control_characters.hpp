#pragma once

#include "base/layers.hpp"

#include <string>
#include <string_view>

namespace texelscope::base {

/// Whether a text has a control character: of ASCII or, in UTF-8, of Latin-1. Line ends and tabs
/// are control characters, too.
[[nodiscard]] bool has_controls(std::string_view text);

/// Text that is safe on a terminal, which takes control characters for commands: each is replaced
/// by U+FFFD, except line ends and tabs.
[[nodiscard]] std::string without_controls(std::string_view text);

} // namespace texelscope::base
