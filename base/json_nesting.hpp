#pragma once

#include "base/layers.hpp"

#include <string>
#include <string_view>

namespace texelscope::base {

/// Throws bad_input, naming `where`, for a JSON text that is nested more than 100 deep. Call it
/// before the text is parsed: JSON values are copied, compared and written by recursive functions,
/// so a file of nothing but brackets would overflow the stack.
void check_json_nesting(std::string_view text, const std::string& where);

} // namespace texelscope::base
