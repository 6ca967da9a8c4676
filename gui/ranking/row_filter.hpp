#pragma once

#include "experiments/space/constrained_space.hpp"

#include <string>
#include <vector>

namespace texelscope::gui {

/// What configurations must have: conditions that hold, and words that occur in their text, in any case. Both empty: all
/// have it.
struct RowFilter {
    std::vector<Constraint> where;
    std::vector<std::string> words; ///< in lower case
};

/// Names that conditions on an operator's configurations can use.
[[nodiscard]] std::vector<std::string> parameter_names(const Operator& op);

/// Whether a text is a condition, as `tune --where` takes it, and not words: it compares (==, !=, <, >), or names a
/// parameter.
[[nodiscard]] bool is_condition(const std::string& text, const Operator& op);

/// Throws bad_input, with the column, for a condition that is malformed.
[[nodiscard]] RowFilter row_filter(const std::string& text, const Operator& op);

} // namespace texelscope::gui
