#pragma once

// Arithmetic of kernels as values, as IndexExpr is their addresses.
//
// What goes in: values of a nest by NestValue, constants, index expressions (as numbers, or in
// conditions), and arguments for which others are put later; they are joined by operators and by
// call(), choose(), vector() and the like. What comes out: nodes in one flat vector, in an order in
// which operands stand before what uses them, the whole last. So every visitor is a loop over the
// nodes with a result for each: OpenCL text (codegen/text/expression_text.hpp), work
// (arithmetic.hpp), values that are used (for_each_value()), references (evaluate()).
//
// First expressions with arguments are built, once for each operator; with_arguments() puts what a
// place of the tile has into them; the result becomes part of a statement (loop_nest.hpp). Nothing
// of an expression ever changes.
//
// What always holds: no two nodes are equal. What is written twice is one node, and is counted
// once, as compilers have it.

#include "codegen/nest/number_functions.hpp"
#include "traces/index/index_expr.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace texelscope::codegen {

using namespace texelscope::traces;

/// Number of a value in LoopNest::values. A type of its own, so that no number is taken for a
/// value, nor a value for one.
struct NestValue {
    std::int32_t number = 0;

    explicit operator std::size_t() const { return static_cast<std::size_t>(number); }
    bool operator==(const NestValue&) const = default;
};

/// What a number is: float32, or what products are made of, of half precision where the device
/// computes in it (LoopNest::half_sums).
enum class NumberType : std::uint8_t { single, factor };

/// An expression of kernels over numbers and vectors of them. An operation goes number by number; a
/// single number stands for as many as the other operand has.
class NumberExpr {
public:
    enum class Kind : std::uint8_t {
        constant,
        value,     ///< `which` of a nest
        argument,  ///< number `which`, for which another expression is put
        index,     ///< an index expression as a number
        component, ///< of a vector: `which`
        part,      ///< of a vector: the four from number `which` on
        pick,      ///< of a texel, the component whose number is an index expression
        negate,    // operations, from here on
        add,
        subtract,
        multiply,
        divide,
        call, ///< of the row `detail` of function_table
        less, // conditions, from here on
        greater,
        both,
        index_is,         ///< the index expression is `which`
        index_below,      ///< the index expression is not negative, and less than `which`
        components_below, ///< of four components, those before the one that an index tells
        choose,           // numbers again: condition, value where it holds, value where it does not
        beside,           ///< numbers of both, side by side
        vector,     ///< `which` numbers of type `detail`: the operand's, or so many times its one
        convert,    ///< to the type `detail`, `which` numbers
        keep_first, ///< of a texel, the first `which` components; the others are zero
        grouped,    ///< in parentheses that it need not have
    };
    struct Node {
        Kind kind = Kind::constant;
        /// Type (vector, convert), row of function_table (call), or 1: written with all digits
        /// (constant, exact()).
        std::uint8_t detail = 0;
        std::array<std::uint16_t, 3> operands{}; ///< numbers of nodes that stand before it
        std::int32_t which = 0;
        std::int32_t index = -1; ///< of indices(); -1: it has none
        double constant = 0;

        bool operator==(const Node&) const = default;
        [[nodiscard]] NumberType type() const { return static_cast<NumberType>(detail); }
        [[nodiscard]] const NumberFunction& function() const { return function_table[detail]; }
    };

    NumberExpr(double constant); // NOLINT: numbers are expressions
    NumberExpr(NestValue value); // NOLINT: values are expressions
    NumberExpr(int) = delete;    // it might be meant as a number of a value

    /// A constant that is written with all of its digits rather than the nine that float32 has.
    [[nodiscard]] static NumberExpr exact(double constant);
    [[nodiscard]] static NumberExpr argument(int number);
    [[nodiscard]] static NumberExpr of_index(IndexExpr index);

    [[nodiscard]] NumberExpr component(int number) const
    {
        return of_one(Kind::component, 0, number);
    }
    /// Four components of a wider vector, from number `first` on.
    [[nodiscard]] NumberExpr part(int first) const { return of_one(Kind::part, 0, first); }
    [[nodiscard]] NumberExpr pick(IndexExpr component) const;
    /// A vector of so many numbers: of as many side by side, or of one, so many times.
    [[nodiscard]] NumberExpr vector(NumberType type, int numbers) const
    {
        return of_one(Kind::vector, static_cast<std::uint8_t>(type), numbers);
    }
    [[nodiscard]] NumberExpr beside(const NumberExpr& more) const
    {
        return of_two(Kind::beside, more);
    }
    [[nodiscard]] NumberExpr converted(NumberType type, int numbers) const
    {
        return of_one(Kind::convert, static_cast<std::uint8_t>(type), numbers);
    }
    [[nodiscard]] NumberExpr keep_first(int components) const
    {
        return of_one(Kind::keep_first, 0, components);
    }
    [[nodiscard]] NumberExpr grouped() const { return of_one(Kind::grouped, 0, 0); }

    friend NumberExpr operator-(const NumberExpr& a) { return a.of_one(Kind::negate, 0, 0); }
    friend NumberExpr less(const NumberExpr& a, const NumberExpr& b)
    {
        return a.of_two(Kind::less, b);
    }
    friend NumberExpr greater(const NumberExpr& a, const NumberExpr& b)
    {
        return a.of_two(Kind::greater, b);
    }
    /// Of two conditions.
    friend NumberExpr both(const NumberExpr& a, const NumberExpr& b)
    {
        return a.of_two(Kind::both, b);
    }
    [[nodiscard]] static NumberExpr index_is(IndexExpr index, std::int64_t number);
    [[nodiscard]] static NumberExpr index_below(IndexExpr index, std::int64_t bound);
    [[nodiscard]] static NumberExpr components_below(IndexExpr bound);
    friend NumberExpr choose(const NumberExpr& condition, const NumberExpr& then,
                             const NumberExpr& otherwise);
    friend NumberExpr call(FunctionRow function, const NumberExpr& a);
    friend NumberExpr call(FunctionRow function, const NumberExpr& a, const NumberExpr& b);

    [[nodiscard]] NumberExpr of_two(Kind kind, const NumberExpr& other) const;

    /// The expression with arguments[i] in the place of argument i.
    [[nodiscard]] NumberExpr with_arguments(std::span<const NumberExpr> arguments) const;
    [[nodiscard]] NumberExpr with_arguments(std::initializer_list<NumberExpr> arguments) const
    {
        return with_arguments(std::span(arguments.begin(), arguments.size()));
    }
    /// Whether it is the argument of that number, and nothing else.
    [[nodiscard]] bool is_argument(int number) const;
    /// Whether that argument occurs.
    [[nodiscard]] bool takes_argument(int number) const;

    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
    [[nodiscard]] const std::vector<IndexExpr>& indices() const { return indices_; }
    [[nodiscard]] const Node& whole() const { return nodes_.back(); }

    /// Calls `visit` with each value that occurs, once.
    template <class Visit>
    void for_each_value(const Visit& visit) const
    {
        for (const Node& node : nodes_) {
            if (node.kind == Kind::value) {
                visit(NestValue{node.which});
            }
        }
    }

    bool operator==(const NumberExpr&) const = default;

private:
    NumberExpr() = default;

    std::uint16_t add(const Node& node);
    std::uint16_t add(const NumberExpr& other); ///< returns the number of its whole
    std::int32_t add(const IndexExpr& index);
    [[nodiscard]] NumberExpr of_one(Kind kind, std::uint8_t detail, std::int32_t which) const;
    [[nodiscard]] static NumberExpr of_condition(Kind kind, const IndexExpr& index,
                                                 std::int64_t which);

    std::vector<Node> nodes_;
    std::vector<IndexExpr> indices_;
};

[[nodiscard]] inline NumberExpr operator+(const NumberExpr& a, const NumberExpr& b)
{
    return a.of_two(NumberExpr::Kind::add, b);
}
[[nodiscard]] inline NumberExpr operator-(const NumberExpr& a, const NumberExpr& b)
{
    return a.of_two(NumberExpr::Kind::subtract, b);
}
[[nodiscard]] inline NumberExpr operator*(const NumberExpr& a, const NumberExpr& b)
{
    return a.of_two(NumberExpr::Kind::multiply, b);
}
[[nodiscard]] inline NumberExpr operator/(const NumberExpr& a, const NumberExpr& b)
{
    return a.of_two(NumberExpr::Kind::divide, b);
}
[[nodiscard]] NumberExpr choose(const NumberExpr& condition, const NumberExpr& then,
                                const NumberExpr& otherwise);
[[nodiscard]] NumberExpr call(FunctionRow function, const NumberExpr& a);
[[nodiscard]] NumberExpr call(FunctionRow function, const NumberExpr& a, const NumberExpr& b);

/// The expression in double precision, of single numbers: arguments[i] is argument i. Functions go
/// by their rows. Throws std::logic_error for what only a nest knows: values, index expressions,
/// and components.
[[nodiscard]] double evaluate(const NumberExpr& expression, std::span<const double> arguments);

} // namespace texelscope::codegen
