#pragma once

#include "base/layers.hpp"

#include <string>
#include <string_view>

namespace texelscope::base {

/// Text of a file for a message: control characters and what is no UTF-8 escaped or replaced, long text cut off.
[[nodiscard]] std::string printable(std::string_view text);

} // namespace texelscope::base
