#pragma once

#include "base/layers.hpp"

#include <string>
#include <string_view>

namespace texelscope::base {

/// Text from a file, made fit for a message: control characters and invalid UTF-8 are escaped or
/// replaced, and long text is cut off.
[[nodiscard]] std::string printable(std::string_view text);

/// Whether the whole text is valid UTF-8.
[[nodiscard]] bool is_utf8(const std::string& text);

} // namespace texelscope::base
