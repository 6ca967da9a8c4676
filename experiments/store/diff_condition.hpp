#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::experiments {

/// A condition on two results A and B: "PATH OP LIMIT", for example "l1.misses>+5%".
struct DiffCondition {
    enum class Comparison { greater, less, at_least, at_most };
    enum class Quantity {
        value,           ///< of B: "0.3"
        change,          ///< B - A: "+1000", "-5"
        relative_change, ///< (B - A) / |A|: "+5%", "-5%"
    };
    std::string text; ///< as given
    std::string path;
    Comparison comparison = Comparison::greater;
    Quantity quantity = Quantity::value;
    double limit = 0; ///< 0.05 for "+5%"
};

/// OP is one of > < >= <=. A LIMIT with a sign is a change, with "%" a relative one; without a sign it is a value of B.
/// Blanks around PATH and LIMIT do not count. Throws bad_input, showing how to write it, for anything else.
[[nodiscard]] DiffCondition parse_diff_condition(const std::string& text);

/// Whether the condition holds for a number that was `a` and is `b`. From zero to anything else is an endless relative
/// change, up or down; from zero to zero is none.
[[nodiscard]] bool holds(const DiffCondition& condition, double a, double b);

} // namespace texelscope::experiments
