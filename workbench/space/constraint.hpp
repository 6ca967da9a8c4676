#pragma once

#include "workbench/space/tunable_parameters.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// A condition on named parameters: "tile_x * tile_y <= 16 and pattern_1 != 'row'".
///
/// From what binds loosest: or (||); and (&&); not (!); == != < <= > >=, where a < b < c is a < b
/// and b < c; + and -;
/// * / and %; the sign. Numbers are integers of 64 bits, the quotient rounds towards zero and the
///   remainder has the sign of its left side. Words, in quotes of either kind, are compared by ==
///   and != alone. What stands right of an `and` or an `or` is looked at only where the left side
///   does not decide, so that the left side can keep a divisor from being 0.
class Constraint {
public:
    /// `parameters`: every name that the text may use, with any value of it, which says whether it
    /// is a number or a word. Throws bad_input, with the column, for a text that is no condition, a
    /// name that is not among them, and a word that the parameter it is compared with never has.
    Constraint(const std::string& text, const ParameterValues& parameters);

    [[nodiscard]] const std::string& text() const { return text_; }
    /// The parameters that the text uses.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] bool names(const std::string& parameter) const
    {
        return std::ranges::find(names_, parameter) != names_.end();
    }

    /// `values`: of the same names in the same order. Throws bad_input, with the column, where
    /// something is divided by zero or a number leaves 64 bits.
    [[nodiscard]] bool holds(const ParameterValues& values) const { return holds_(values); }

private:
    std::string text_;
    std::vector<std::string> names_;
    std::function<bool(const ParameterValues&)> holds_;
};

} // namespace texelscope::workbench::space
