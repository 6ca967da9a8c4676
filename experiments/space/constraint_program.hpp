#pragma once

#include "experiments/space/tunable_parameters.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// A word of a condition: what a parameter has, or one that the text names.
struct ConstraintWord {
    std::optional<std::size_t> parameter; ///< its place among the values
    std::string literal;                  ///< where there is no parameter
};

/// One step of a machine with a stack of integers; a truth is 0 or 1.
struct ConstraintInstruction {
    enum class Code {
        number,    ///< pushes the operand
        parameter, ///< pushes the number that the parameter in that place has
        same_word, ///< pushes whether both words are the same
        negate,    ///< of the top
        invert,
        add, ///< of the two on top, the lower one first
        subtract,
        multiply,
        divide,
        remainder,
        equal,
        unequal,
        less,
        less_equal,
        greater,
        greater_equal,
        unless_skip, ///< where the top is false goes on at the operand, else drops it
        if_skip,     ///< where the top is true goes on at the operand, else drops it
    };
    Code code = Code::number;
    std::int64_t operand = 0;
    std::size_t column = 1;                ///< of the text, for errors
    std::array<ConstraintWord, 2> words{}; ///< of same_word
};

/// A condition (see Constraint) that is read once and evaluated many times.
struct ConstraintProgram {
    std::string text;
    std::vector<ConstraintInstruction> instructions; ///< they leave one truth on the stack
};

/// Throws bad_input where something is divided by zero or a number leaves 64 bits.
[[nodiscard]] bool evaluate(const ConstraintProgram& program, const ParameterValues& values);

} // namespace texelscope::experiments
