// Sorts LLVM's instructions by what they compute. Opcodes and kinds of types are those of LLVM's C
// interface, whose numbers do not change from version to version.

#include "traces/capture/plugin/executed_operations.hpp"

#include "traces/capture/plugin/llvm_values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>

namespace texelscope::traces {
namespace {

// LLVMOpcode.
enum Opcode : int {
    add = 8,
    float_add = 9,
    sub = 10,
    float_sub = 11,
    mul = 12,
    float_mul = 13,
    unsigned_div = 14,
    signed_div = 15,
    float_div = 16,
    unsigned_rem = 17,
    signed_rem = 18,
    float_rem = 19,
    shift_left = 20,
    exclusive_or = 25,
    trunc = 30,
    float_extend = 38,
    integer_compare = 42,
    float_compare = 43,
    call = 45,
    float_negate = 66,
};

/// The numbers that a value consists of.
struct Numbers {
    int kind = 0;
    std::int64_t count = 1;

    [[nodiscard]] bool floating() const { return kind == half || kind == single || kind == twice; }
};

Numbers numbers_of(void* value)
{
    void* type = LLVMTypeOf(value);
    const int kind = LLVMGetTypeKind(type);
    if (kind == vector) {
        return {LLVMGetTypeKind(LLVMGetElementType(type)), LLVMGetVectorSize(type)};
    }
    return {kind, 1};
}

ExecutedOperations arithmetic(const Numbers& of, std::int64_t count)
{
    ExecutedOperations counted;
    (of.kind == half ? counted.halves : of.floating() ? counted.floats : counted.integers) = count;
    return counted;
}

/// "mad" of "_Z3madDv4_fS_S_", "fmuladd" of "llvm.fmuladd.v4f32".
std::string_view plain_name(std::string_view name)
{
    constexpr std::string_view intrinsic = "llvm.";
    if (name.starts_with(intrinsic)) {
        name.remove_prefix(intrinsic.size());
        return name.substr(0, name.find('.'));
    }
    if (!name.starts_with("_Z")) {
        return name;
    }
    name.remove_prefix(2);
    std::size_t length = 0;
    while (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
        length = length * 10 + static_cast<std::size_t>(name[0] - '0');
        name.remove_prefix(1);
    }
    return name.substr(0, length);
}

/// Functions that a GPU has a unit of its own for, or makes of such.
constexpr std::array<std::string_view, 39> special_functions{
    "acos",  "acosh", "acospi", "asin",  "asinh",  "asinpi", "atan", "atan2", "atanh", "atanpi",
    "cbrt",  "cos",   "cosh",   "cospi", "divide", "erf",    "erfc", "exp",   "exp10", "exp2",
    "expm1", "hypot", "lgamma", "log",   "log10",  "log1p",  "log2", "pow",   "pown",  "powr",
    "recip", "rootn", "rsqrt",  "sin",   "sinh",   "sqrt",   "tan",  "tanh",  "tgamma"};
/// Functions of vectors that end in a root.
constexpr std::array<std::string_view, 3> lengths{"length", "distance", "normalize"};
/// They move values or say where the work-item is.
constexpr std::array<std::string_view, 11> moves{"read_image", "write_image", "vload",   "vstore",
                                                 "as_",        "get_",        "shuffle", "atom",
                                                 "lifetime",   "dbg",         "prefetch"};

template <class Names>
bool has(const Names& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

ExecutedOperations operations_of_call(void* instruction)
{
    ExecutedOperations other;
    other.others = 1;
    void* called = LLVMGetCalledValue(instruction);
    if (called == nullptr || LLVMIsDeclaration(called) == 0) {
        return other;
    }
    std::size_t length = 0;
    const char* text = LLVMGetValueName2(called, &length);
    std::string_view name = plain_name({text, length});
    for (const std::string_view prefix : {"native_", "half_"}) {
        name.remove_prefix(name.starts_with(prefix) ? prefix.size() : 0);
    }
    const Numbers result = numbers_of(instruction);
    if ((!result.floating() && result.kind != integer) ||
        std::any_of(moves.begin(), moves.end(),
                    [&](std::string_view prefix) { return name.starts_with(prefix); })) {
        return other;
    }
    const Numbers first = LLVMGetNumArgOperands(instruction) > 0
                              ? numbers_of(LLVMGetOperand(instruction, 0))
                              : result;
    if (name == "dot") {
        return arithmetic(first, first.count);
    }
    if (name.starts_with("convert_")) {
        ExecutedOperations conversions;
        conversions.integers = result.count;
        return conversions;
    }
    if (!result.floating()) {
        return arithmetic(first.floating() ? first : result, result.count);
    }
    if (has(special_functions, name) || name.starts_with("sincos")) {
        ExecutedOperations special;
        special.specials = result.count;
        return special;
    }
    if (has(lengths, name)) {
        ExecutedOperations sum = arithmetic(first, first.count);
        sum.specials = 1;
        return sum;
    }
    return arithmetic(result, result.count);
}

} // namespace

ExecutedOperations operations_of(const llvm::Instruction& instruction)
{
    void* value = llvm_handle(&instruction);
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == call) {
        return operations_of_call(value);
    }
    const Numbers result = numbers_of(value);
    ExecutedOperations counted;
    if (opcode == float_div || opcode == float_rem) {
        counted.specials = result.count;
    } else if (opcode == float_add || opcode == float_sub || opcode == float_mul ||
               opcode == float_negate) {
        counted = arithmetic(result, result.count);
    } else if (opcode == float_compare) {
        counted = arithmetic(numbers_of(LLVMGetOperand(value, 0)), result.count);
    } else if (opcode == add || opcode == sub || opcode == mul || opcode == unsigned_div ||
               opcode == signed_div || opcode == unsigned_rem || opcode == signed_rem ||
               (opcode >= shift_left && opcode <= exclusive_or) ||
               (opcode >= trunc && opcode <= float_extend) || opcode == integer_compare) {
        counted.integers = result.count;
    } else {
        counted.others = 1;
    }
    return counted;
}

} // namespace texelscope::traces
