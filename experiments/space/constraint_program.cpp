#include "experiments/space/constraint_program.hpp"

#include "experiments/space/constraint_tokens.hpp"

#include <limits>

namespace texelscope::experiments {
namespace {

using Code = ConstraintInstruction::Code;

const std::string& word(const ConstraintWord& word, const ParameterValues& values)
{
    return word.parameter ? std::get<std::string>(values[*word.parameter].second) : word.literal;
}

/// Of two numbers. The quotient rounds towards zero, the remainder has the sign of `a`: as in OpenCL C.
std::int64_t apply(const ConstraintInstruction& instruction, std::int64_t a, std::int64_t b, const std::string& text)
{
    const auto checked = [&](std::int64_t result, bool overflow) {
        if (overflow) {
            throw constraint_error(text, instruction.column, "the result does not fit 64 bits", "use smaller numbers");
        }
        return result;
    };
    const bool leaves = a == std::numeric_limits<std::int64_t>::min() && b == -1; // as a quotient
    std::int64_t result = 0;
    switch (instruction.code) {
    case Code::add: {
        const bool overflow = __builtin_add_overflow(a, b, &result);
        return checked(result, overflow);
    }
    case Code::subtract: {
        const bool overflow = __builtin_sub_overflow(a, b, &result);
        return checked(result, overflow);
    }
    case Code::multiply: {
        const bool overflow = __builtin_mul_overflow(a, b, &result);
        return checked(result, overflow);
    }
    case Code::divide:
    case Code::remainder:
        if (b == 0) {
            throw constraint_error(text, instruction.column, "this divides by zero for some configurations",
                                   "exclude them before it, e.g. tile_z != 0 and ...");
        }
        if (instruction.code == Code::remainder) {
            return leaves ? 0 : a % b;
        }
        return checked(leaves ? 0 : a / b, leaves);
    case Code::equal:
        return a == b ? 1 : 0;
    case Code::unequal:
        return a != b ? 1 : 0;
    case Code::less:
        return a < b ? 1 : 0;
    case Code::less_equal:
        return a <= b ? 1 : 0;
    case Code::greater:
        return a > b ? 1 : 0;
    default:
        return a >= b ? 1 : 0;
    }
}

} // namespace

bool evaluate(const ConstraintProgram& program, const ParameterValues& values)
{
    const auto& instructions = program.instructions;
    std::vector<std::int64_t> stack;
    stack.reserve(instructions.size());
    for (std::size_t next = 0; next < instructions.size();) {
        const ConstraintInstruction& instruction = instructions[next++];
        switch (instruction.code) {
        case Code::number:
            stack.push_back(instruction.operand);
            break;
        case Code::parameter:
            stack.push_back(std::get<std::int64_t>(values[static_cast<std::size_t>(instruction.operand)].second));
            break;
        case Code::same_word:
            stack.push_back(word(instruction.words[0], values) == word(instruction.words[1], values) ? 1 : 0);
            break;
        case Code::negate:
            stack.back() = apply({Code::subtract, 0, instruction.column, {}}, 0, stack.back(), program.text);
            break;
        case Code::invert:
            stack.back() = 1 - stack.back();
            break;
        case Code::unless_skip:
        case Code::if_skip:
            if ((stack.back() != 0) == (instruction.code == Code::if_skip)) {
                next = static_cast<std::size_t>(instruction.operand);
            } else {
                stack.pop_back();
            }
            break;
        default: {
            const std::int64_t right = stack.back();
            stack.pop_back();
            stack.back() = apply(instruction, stack.back(), right, program.text);
        }
        }
    }
    return stack.back() != 0;
}

} // namespace texelscope::experiments
