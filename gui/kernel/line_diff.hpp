#pragma once

#include <string>
#include <vector>

namespace texelscope::gui {

enum class DiffKind { same, removed, added };

struct DiffLine {
    DiffKind kind = DiffKind::same;
    std::string text; ///< without a line break

    bool operator==(const DiffLine&) const = default;
};

/// How text `a` becomes text `b`, line by line: keeps a longest common subsequence of the lines. Removed lines stand before
/// those that take their place. Time is the product of the numbers of lines that differ in between, memory is linear.
[[nodiscard]] std::vector<DiffLine> line_diff(const std::string& a, const std::string& b);

} // namespace texelscope::gui
