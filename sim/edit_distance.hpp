#pragma once

#include <cstddef>
#include <string>

namespace texelscope {

/// Least number of single-character insertions, deletions and replacements that turn `a` into `b` (Levenshtein): how
/// likely one is a slip for the other. Takes |a| * |b| steps.
[[nodiscard]] std::size_t edit_distance(const std::string& a, const std::string& b);

} // namespace texelscope
