#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <string_view>

namespace texelscope::base {

/// Least number of insertions, deletions and replacements of single bytes that turn `a` into `b` (Levenshtein): what
/// finds the name that was meant.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

} // namespace texelscope::base
