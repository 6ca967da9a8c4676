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

    /// How many values it takes where they count from 0, as those of loops and dimensions do.
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

/// An atom of the normal form. Division and remainder hold their operand.
struct IndexAtom {
    enum class Kind { variable, floor_div, mod };
    Kind kind = Kind::variable;
    Variable variable;                        ///< Kind::variable
    std::shared_ptr<const IndexExpr> operand; ///< floor_div and mod
    std::int64_t divisor = 1;                 ///< floor_div and mod

    [[nodiscard]] Range bounds() const;
    [[nodiscard]] Range bounds(std::span<const Range> by_slot) const; ///< as IndexExpr::bounds()
    [[nodiscard]] IndexExpr expr() const;                             ///< the atom alone, once
    /// The same division or remainder of another operand; of a variable there is none
    /// (std::logic_error).
    [[nodiscard]] IndexExpr over(const IndexExpr& other) const;

private:
    /// Of a division or remainder whose operand is in that range.
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

    /// Same normal form: the two are equal for every value of the variables. (The converse need not
    /// hold.)
    friend bool operator==(const IndexExpr& a, const IndexExpr& b);
    /// The same for expressions that are equal.
    [[nodiscard]] std::size_t hash() const;

    /// An interval that holds every value of the expression, the sum of the intervals of its terms.
    [[nodiscard]] Range bounds() const
    {
        return sum_ ? Range{constant_ + sum_->bounds.min, constant_ + sum_->bounds.max}
                    : Range{constant_, constant_};
    }
    /// The same with the variables in ranges of their slots instead of their own; exact where each
    /// range is one value.
    [[nodiscard]] Range bounds(std::span<const Range> by_slot) const;
    [[nodiscard]] bool is_constant() const { return sum_ == nullptr; }
    [[nodiscard]] std::int64_t constant() const { return constant_; }
    [[nodiscard]] std::span<const Term> terms() const
    {
        return sum_ ? std::span<const Term>(sum_->terms) : std::span<const Term>();
    }

    /// The variable that the expression is, as it stands; null where it is something else.
    [[nodiscard]] const Variable* as_variable() const;

    /// True where some variable with a slot in [first, last) occurs.
    [[nodiscard]] bool uses_slots(int first, int last) const;

    /// Value with variable v = values[v.slot].
    [[nodiscard]] std::int64_t evaluate(std::span<const std::int64_t> values) const;

    /// Values of many points at once: variable v of point i = columns[v.slot][i]; writes out[i].
    /// A column of a variable that does not occur may be empty.
    void evaluate(std::span<const std::span<const std::int32_t>> columns,
                  std::span<std::int32_t> out) const;

    /// What a variable stands for; nothing where it stays.
    using Replacement = std::function<std::optional<IndexExpr>(const Variable&)>;
    /// The expression with variables replaced all at once: the values may use the slots of the
    /// variables.
    [[nodiscard]] IndexExpr replace(const Replacement& value) const;
    /// The expression with every occurrence of the variable of that slot replaced.
    [[nodiscard]] IndexExpr substitute(int slot, const IndexExpr& replacement) const;

    /// As OpenCL C over int. Division and remainder of an operand that may be negative are printed
    /// in a form that rounds towards minus infinity, as floor_div does (C rounds towards zero).
    [[nodiscard]] std::string to_opencl() const;

    /// The terms whose atoms are inside, without the constant; and the rest.
    struct Split;
    [[nodiscard]] Split split(const std::function<bool(const IndexAtom&)>& inside) const;
    /// The same where inside is what uses only slots in [first, last).
    [[nodiscard]] Split split(int first, int last) const;

private:
    /// The terms of an expression, which never change: copies share them, and so do expressions
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
    /// Any terms, brought to normal form.
    IndexExpr(std::int64_t constant, std::vector<Term> terms);
    /// Terms that are in normal form.
    static std::shared_ptr<const Sum> sum_of(std::vector<Term> terms);
    static Divided divide_terms(const IndexExpr& e, std::int64_t divisor);
    static std::optional<Coarsened> coarsen(const IndexExpr& e, std::int64_t divisor);
    void append_opencl(std::string& text) const;

    std::int64_t constant_ = 0;
    std::shared_ptr<const Sum> sum_; ///< null: no terms
};

struct IndexExpr::Split {
    IndexExpr inside; ///< no constant
    IndexExpr rest;   ///< constant and every other term
};

} // namespace texelscope::traces
