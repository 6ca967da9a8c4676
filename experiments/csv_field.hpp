#pragma once

#include <string>

namespace texelscope {

/// A text as one field of CSV: between quotes where it holds a comma, a quote or a line break (RFC 4180).
[[nodiscard]] std::string csv_field(const std::string& text);

} // namespace texelscope
