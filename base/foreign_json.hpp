#pragma once

#include "base/layers.hpp"

#include <exception>
#include <string>
#include <string_view>

namespace texelscope::base {

/// The text with null in place of NaN, Infinity and -Infinity, which Python's json writes, and JSON
/// has not. Texts within it stay.
[[nodiscard]] std::string null_for_nan(std::string_view json);

/// What a nlohmann::json::exception found wrong with a JSON text, in our words: where it is none,
/// which member is missing, or that one is of another kind.
[[nodiscard]] std::string json_fault(const std::exception& error);

} // namespace texelscope::base
