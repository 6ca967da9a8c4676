#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// A part of a condition's text (see Constraint).
struct ConstraintToken {
    enum class Kind {
        name,   ///< tile_x
        number, ///< 16
        word,   ///< 'row', without its quotes
        symbol, ///< an operator or a bracket; and, or and not are && || !
        end,    ///< behind the last one
    };
    Kind kind = Kind::end;
    std::string text;
    std::size_t column = 1; ///< in characters from 1 on
};

/// Splits a text into tokens, with one of kind `end` behind them. Throws bad_input for a character
/// that belongs to no token, a number that is no integer, and a quote that is not closed.
[[nodiscard]] std::vector<ConstraintToken> constraint_tokens(const std::string& text);

/// "condition "TEXT", column COLUMN: WHAT; REMEDY" as bad input.
[[nodiscard]] Error constraint_error(const std::string& text, std::size_t column,
                                     const std::string& what, const std::string& remedy);

} // namespace texelscope::workbench::space
