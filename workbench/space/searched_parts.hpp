#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::workbench::space {

/// Keys of parts from "A,T,M"; "all": of all that searches know, in the order of a schedule's text.
/// Throws bad_input, listing the parts, for another one.
[[nodiscard]] std::string parse_parts(const std::string& text);
/// The parts as text again: "A,T,M".
[[nodiscard]] std::string parts_text(const std::string& parts);

} // namespace texelscope::workbench::space
