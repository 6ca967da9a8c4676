#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::traces {

// Index expressions: the coordinates of reads as values.
//
// In go variables (work-item ids and loop variables, each with its range) and integers; they are
// joined by +, -, multiplication by a constant, floor_div() and mod(). What comes out is an
// immutable IndexExpr in normal form:
//
//     constant + sum of factor * atom,   atom = variable | floor_div(expr, d) | mod(expr, d)
//
// Expressions are built by codegen/ (or read from a trace), simplified by every operation, and
// then asked: bounds() for an interval of all values, evaluate() for values, to_opencl() for the
// kernel's text, replace() and split() to take them apart, uniform_shift() (uniform_shift.hpp) for
// how they move along a loop.
//
// What always holds: atoms of an expression are distinct and factors are not 0; bounds() holds
// every value as long as variables keep to their ranges; two expressions with the same normal form
// are equal everywhere.

/// Closed interval of integers.
struct Range {
    std::int64_t min = 0;
    std::int64_t max = 0;

    bool operator==(const Range&) const = default;
};

/// A variable of an index expression. `slot` is its place in the array of values that evaluation
/// takes; two variables are the same exactly when their slots are equal. `name` is its name in
/// kernel text.
struct Variable {
    int slot = 0;
    std::string name;
    Range range; ///< every value that it takes, both ends included

    /// Number of values of a variable that counts from 0, as those of loops and dimensions do.
    [[nodiscard]] std::int64_t extent() const { return range.max + 1; }
};

/// Rounds towards minus infinity; `divisor` > 0.
[[nodiscard]] constexpr std::int64_t floor_div(std::int64_t dividend, std::int64_t divisor)
{
    return dividend >= 0 ? dividend / divisor : -((-dividend + divisor - 1) / divisor);
}

/// Rounds up; neither is negative, `divisor` > 0.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t dividend, std::int64_t divisor)
{
    return (dividend + divisor - 1) / divisor;
}

/// Remainder of floor_div: always in [0, divisor).
[[nodiscard]] constexpr std::int64_t floor_mod(std::int64_t dividend, std::int64_t divisor)
{
    return dividend - divisor * floor_div(dividend, divisor);
}

class IndexExpr;

/// An atom of the normal form: a variable, or a division or remainder of an operand by a constant.
struct IndexAtom {
    enum class Kind { variable, floor_div, mod };
    Kind kind = Kind::variable;
    Variable variable;                        ///< of Kind::variable
    std::shared_ptr<const IndexExpr> operand; ///< of floor_div and mod
    std::int64_t divisor = 1;                 ///< of floor_div and mod

    [[nodiscard]] Range bounds() const;
    [[nodiscard]] Range bounds(std::span<const Range> by_slot) const; ///< as IndexExpr::bounds()
    [[nodiscard]] IndexExpr expr() const;                             ///< the expression 1 * atom
    /// The same division or remainder, by the same divisor, of another operand. Throws
    /// std::logic_error for a variable.
    [[nodiscard]] IndexExpr over(const IndexExpr& other) const;

private:
    /// Bounds of a division or remainder whose operand is in that range.
    [[nodiscard]] Range bounds_over(Range operand_range) const;
};

/// A factor times an atom.
struct IndexTerm {
    std::int64_t factor = 0;
    IndexAtom atom;
};

/// An immutable quasi-affine integer expression: sums of variables, constants, floor-divisions and
/// remainders by constants, each times a constant. It is kept simplified: a constant plus a sum of
/// distinct atoms with non-zero factors, an atom being a variable, floor_div(e, d) or mod(e, d).
/// Bounds follow from the ranges of the variables.
///
/// The same expression prints as OpenCL C, generates traces and gives the model its features; this
/// is what makes the three judges see the same accesses.
class IndexExpr {
public:
    using Term = IndexTerm;

    IndexExpr(std::int64_t constant = 0); // NOLINT: integers are expressions
    explicit IndexExpr(const Variable& variable);

    friend IndexExpr operator+(const IndexExpr& a, const IndexExpr& b);
    friend IndexExpr operator-(const IndexExpr& a, const IndexExpr& b);
    friend IndexExpr operator*(const IndexExpr& a, std::int64_t factor);
    friend IndexExpr operator*(std::int64_t factor, const IndexExpr& a) { return a * factor; }

    /// floor(e / divisor); throws std::invalid_argument unless divisor > 0.
    friend IndexExpr floor_div(const IndexExpr& e, std::int64_t divisor);
    /// e - divisor * floor_div(e, divisor); throws std::invalid_argument unless divisor > 0.
    friend IndexExpr mod(const IndexExpr& e, std::int64_t divisor);

    /// Whether both have the same normal form. Then they are equal for every value of the
    /// variables; the converse need not hold.
    friend bool operator==(const IndexExpr& a, const IndexExpr& b);
    /// A hash; expressions that are equal have the same.
    [[nodiscard]] std::size_t hash() const;

    /// An interval that holds every value of the expression: the sum of the intervals of its terms.
    [[nodiscard]] Range bounds() const
    {
        return sum_ ? Range{constant_ + sum_->bounds.min, constant_ + sum_->bounds.max}
                    : Range{constant_, constant_};
    }
    /// Bounds where each variable is in the range by_slot[slot] instead of its own. They are exact
    /// where each of these ranges is a single value.
    [[nodiscard]] Range bounds(std::span<const Range> by_slot) const;
    [[nodiscard]] bool is_constant() const { return sum_ == nullptr; }
    [[nodiscard]] std::int64_t constant() const { return constant_; }
    [[nodiscard]] std::span<const Term> terms() const
    {
        return sum_ ? std::span<const Term>(sum_->terms) : std::span<const Term>();
    }

    /// The variable, where the expression is a single variable and nothing else; else null.
    [[nodiscard]] const Variable* as_variable() const;

    /// Whether some variable with a slot in [first, last) occurs.
    [[nodiscard]] bool uses_slots(int first, int last) const;

    /// The value where variable v is values[v.slot].
    [[nodiscard]] std::int64_t evaluate(std::span<const std::int64_t> values) const;

    /// Values at many points at once: at point i, variable v is columns[v.slot][i], and the value
    /// goes to out[i]. The column of a variable that does not occur may be empty.
    void evaluate(std::span<const std::span<const std::int32_t>> columns,
                  std::span<std::int32_t> out) const;

    /// What replaces a variable; nullopt where the variable stays.
    using Replacement = std::function<std::optional<IndexExpr>(const Variable&)>;
    /// The expression with all variables replaced at the same time: replacements may contain the
    /// variables that are replaced.
    [[nodiscard]] IndexExpr replace(const Replacement& value) const;
    /// The expression with every occurrence of the variable of that slot replaced.
    [[nodiscard]] IndexExpr substitute(int slot, const IndexExpr& replacement) const;

    /// As OpenCL C over int. Division and remainder of an operand that may be negative are printed
    /// in a form that rounds towards minus infinity, as floor_div does (C rounds towards zero).
    [[nodiscard]] std::string to_opencl() const;

    /// The expression as a sum of two: terms whose atoms are `inside`, and the rest.
    struct Split;
    [[nodiscard]] Split split(const std::function<bool(const IndexAtom&)>& inside) const;
    /// The expression as a sum of two: atoms that use only slots in [first, last), and the rest.
    [[nodiscard]] Split split(int first, int last) const;

private:
    /// The terms of an expression. They never change, so copies share them, and so do expressions
    /// that differ in their constants alone.
    struct Sum {
        std::vector<Term> terms; ///< at least one
        Range bounds;
        std::size_t hash = 0;
    };
    struct Divided;
    struct Coarsened;

    IndexExpr(std::int64_t constant, std::shared_ptr<const Sum> sum)
        : constant_(constant), sum_(std::move(sum))
    {}
    /// From any terms, which it brings to normal form.
    IndexExpr(std::int64_t constant, std::vector<Term> terms);
    /// From terms that are in normal form already.
    static std::shared_ptr<const Sum> sum_of(std::vector<Term> terms);
    static Divided divide_terms(const IndexExpr& e, std::int64_t divisor);
    static std::optional<Coarsened> coarsen(const IndexExpr& e, std::int64_t divisor);
    void append_opencl(std::string& text) const;

    std::int64_t constant_ = 0;
    std::shared_ptr<const Sum> sum_; ///< null: no terms
};

struct IndexExpr::Split {
    IndexExpr inside; ///< without the constant
    IndexExpr rest;   ///< the constant and every other term
};

} // namespace texelscope::traces
