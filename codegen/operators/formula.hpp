#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

// An operator stated as a formula:
//
//     O[n,h,w,o] = sum(kh:3, kw:3, c) X[n, h+kh-1, w+kw-1, c] * W[kh,kw,c,o]
//
// What goes in: text. What comes out: its parts as trees, each with its column, so that whoever
// finds a mistake later can say where. What always holds: brackets and operators fit, every name is
// one or the other (a tensor has brackets, an index variable has none), there is at most one
// reduction. What the sizes are, and whether the formula can be a kernel, is not known here
// (formula_operator.hpp).
//
//     operator   = [ "d" TENSOR "of" ] TENSOR "[" VARIABLE, .. "]" "=" expression
//     expression = term { (+|-) term };   term = factor { (*|/) factor };   factor = { - } primary
//     primary    = NUMBER | "(" expression ")" | FUNCTION "(" expression, .. ")"
//                | TENSOR "[" index, .. "]" | REDUCTION "(" variable, .. ")" term
//     index      = sum of products of variables and whole numbers, / and % by a number (rounding
//                  down), optionally ": EXTENT", the size of the tensor there
//
// A reduction (sum, prod, max, min) takes the whole product behind it: sum(k) A[k]*B[k] + C[0] adds
// C once.

/// The size of an index variable, or of a tensor along a dimension: a number, or the name of a size
/// that a shape gives.
struct FormulaSize {
    std::string name;        ///< empty: it is `number`
    std::int64_t number = 0; ///< 0 and no name: not said
    [[nodiscard]] bool said() const { return !name.empty() || number > 0; }
};

struct FormulaVariable {
    std::string name;
    FormulaSize size; ///< not said: that of its own name
    std::size_t column = 1;
};

/// An index: a sum of two, a product by a number, a quotient or a remainder, a variable, a number.
struct FormulaIndex {
    enum class Kind { number, variable, add, subtract, multiply, divide, remainder };
    Kind kind = Kind::number;
    std::int64_t number = 0;
    std::string variable;
    std::vector<FormulaIndex> operands; ///< two of an operation; the second of / and % is a number
    std::size_t column = 1;
};

struct FormulaAccess {
    std::string tensor;
    std::vector<FormulaIndex> index;
    std::vector<FormulaSize> extents; ///< one for each index
    std::size_t column = 1;
};

/// An expression over numbers.
struct FormulaNode {
    enum class Kind { number, access, reduced, add, subtract, multiply, divide, negate, call };
    Kind kind = Kind::number;
    double number = 0;
    std::size_t access = 0;   ///< place in Formula::accesses
    std::size_t function = 0; ///< row of function_table
    std::vector<FormulaNode> operands;
    std::size_t column = 1;
};

struct Formula {
    std::string text;     ///< in one way of writing: equal formulas have equal texts
    std::string gradient; ///< the tensor that is differentiated by; empty: none
    std::string output;
    std::vector<FormulaVariable> outputs;
    enum class Reduction { none, sum, product, largest, smallest };
    Reduction reduction = Reduction::none;
    std::vector<FormulaVariable> reductions;
    FormulaNode term;   ///< what is reduced; without a reduction it is unused
    FormulaNode result; ///< the whole; Kind::reduced stands for the reduction in it
    std::vector<FormulaAccess> accesses; ///< as they stand in the text, those of `term` first
    std::size_t term_accesses = 0;       ///< so many of them belong to `term`
};

/// Whether the name of an operator is a formula.
[[nodiscard]] bool is_formula(const std::string& name);

/// Throws bad_input with the column for what is no formula.
[[nodiscard]] Formula parse_formula(const std::string& text);

/// The same, written in one way.
[[nodiscard]] std::string to_string(const FormulaIndex& index);
[[nodiscard]] std::string to_string(const FormulaNode& node, const Formula& formula);

/// Bad input: `formula "TEXT", column COLUMN: WHAT; REMEDY`.
[[noreturn]] void refuse_formula(const std::string& text, std::size_t column,
                                 const std::string& what, const std::string& remedy);

} // namespace texelscope::codegen
