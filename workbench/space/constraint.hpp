#pragma once

#include "workbench/space/tunable_parameters.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// A condition on named parameters: "tile_x * tile_y <= 16 and pattern_1 != 'row'".
///
/// Operators from the loosest to the tightest: or (||); and (&&); not (!); == != < <= > >=, where a
/// < b < c means a < b and b < c; + and -; then *, / and %; last the sign.
///
/// Numbers are 64-bit integers. A quotient rounds towards zero, and a remainder has the sign of its
/// left operand. Words, in quotes of either kind, can only be compared by == and !=. The right side
/// of an `and` or an `or` is evaluated only where the left side does not decide, so the left side
/// can keep a divisor from being 0.
class Constraint {
public:
    /// `parameters`: every name that the text may use, each with some value, which tells whether
    /// the parameter is a number or a word. Throws bad_input, with the column, for a text that is
    /// no condition, an unknown name, and a word that the parameter it is compared with never has.
    Constraint(const std::string& text, const ParameterValues& parameters);

    [[nodiscard]] const std::string& text() const { return text_; }
    /// The parameters that the text uses.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] bool names(const std::string& parameter) const
    {
        return std::ranges::find(names_, parameter) != names_.end();
    }

    /// `values`: the same names as in the constructor, in the same order. Throws bad_input, with
    /// the column, for a division by zero or a number beyond 64 bits.
    [[nodiscard]] bool holds(const ParameterValues& values) const { return holds_(values); }

private:
    std::string text_;
    std::vector<std::string> names_;
    std::function<bool(const ParameterValues&)> holds_;
};

} // namespace texelscope::workbench::space
