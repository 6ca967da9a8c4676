#pragma once

#include "base/layers.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace texelscope::base {

// Comma-separated values as RFC 4180 has them.

/// A text as one field: between quotes where it holds a comma, a quote or a line break.
[[nodiscard]] std::string csv_field(const std::string& text);

/// The fields of each line; lines end in LF or CRLF, the last one need not. A line break between
/// quotes is part of the field. Throws bad_input, `where` and the line, for a quote that is not
/// closed or stands within a field.
[[nodiscard]] std::vector<std::vector<std::string>> parse_csv(std::string_view text,
                                                              const std::string& where);

} // namespace texelscope::base
