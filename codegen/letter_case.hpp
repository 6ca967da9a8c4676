#pragma once

#include <string>

namespace texelscope {

/// ASCII letters as small ones, whatever the locale.
[[nodiscard]] std::string lower_case(std::string text);
/// ASCII letters as capitals, whatever the locale.
[[nodiscard]] std::string upper_case(std::string text);

} // namespace texelscope
