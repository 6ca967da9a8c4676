#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::experiments {

/// A whole page that needs no other file, light and dark; well-formed XML as well. `title` is plain text, `body` is HTML.
[[nodiscard]] std::string html_page(const std::string& title, const std::string& body);

} // namespace texelscope::experiments
