#pragma once

#include "base/layers.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::workbench::store {

/// A condition on two results A and B: "PATH OP LIMIT", for example "l1.misses>+5%". A "*" in the
/// path stands for any text: "nodes.*.simulated_ns>+10%" is asked of every row.
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

/// OP is one of > < >= <=. A LIMIT with a sign is a change, with "%" a relative one; without a sign
/// it is a value of B. Blanks around PATH and LIMIT do not count. Throws bad_input, showing how to
/// write it, for anything else.
[[nodiscard]] DiffCondition parse_diff_condition(const std::string& text);

/// Whether the condition holds for a number that was `a` and is `b`. From zero to anything else is
/// an endless relative change, up or down; from zero to zero is none.
[[nodiscard]] bool holds(const DiffCondition& condition, double a, double b);

/// One value of a result and where it stands: "l1.misses".
struct ResultLeaf {
    using Value = std::variant<std::nullptr_t, bool, double, std::string>;
    std::string path;
    Value value;
};
using ResultLeaves = std::vector<ResultLeaf>;

/// What two results do not share. Paths in the order of the first result, or of the second where
/// only that has them.
struct ResultDiff {
    struct Number {
        std::string path;
        double a = 0;
        double b = 0;
    };
    struct Other {
        std::string path;
        std::string a; ///< as text
        std::string b;
    };
    std::vector<Number> numbers; ///< numbers in both, and different
    std::vector<Other> others;   ///< words, truth values, null, or a change of type
    std::vector<std::string> only_in_a;
    std::vector<std::string> only_in_b;

    [[nodiscard]] bool empty() const
    {
        return numbers.empty() && others.empty() && only_in_a.empty() && only_in_b.empty();
    }
};
[[nodiscard]] ResultDiff diff_results(const ResultLeaves& a, const ResultLeaves& b);

/// (b - a) / |a|: 0 where both are equal, nothing where only `a` is zero, since no share of nothing
/// is anything.
[[nodiscard]] std::optional<double> relative_change(double a, double b);

/// The number at a path. Throws bad_input for a path that is not there (naming the nearest one that
/// holds a number) or holds no number; `name` is what messages call the result.
[[nodiscard]] double number_at(const ResultLeaves& leaves, const std::string& path,
                               const std::string& name);

/// The numbers that a condition is about, those of both results, by path: one, or with a "*" all
/// that fit. Throws bad_input as number_at() does, or where none fits; `a_name`, `b_name`: what
/// messages call the results.
[[nodiscard]] std::vector<ResultDiff::Number>
numbers_of(const DiffCondition& condition, const ResultLeaves& a, const ResultLeaves& b,
           const std::string& a_name, const std::string& b_name);

/// A row of a result - a layer of a network, an operator, a kernel - that a number has changed
/// with.
struct BlamedRow {
    std::string row; ///< "nodes.conv_1"
    std::string op;  ///< where the row says it; empty: it does not
    double a = 0;    ///< its own number; 0 where the row is in one of the results alone
    double b = 0;
    double share = 0;          ///< of the change of the whole
    std::string before, after; ///< configurations, where they differ
};
/// The rows whose numbers of the same name make up a change ("total.simulated_ns": of
/// "nodes.*.simulated_ns"), those that add most to it first; rows that did not change, or the other
/// way, are left out. Of a number of a row, that row. Empty where the results have no such rows.
[[nodiscard]] std::vector<BlamedRow> blamed_rows(const ResultDiff::Number& whole,
                                                 const ResultLeaves& a, const ResultLeaves& b);

/// A value as a person reads it: whole numbers without a fraction, others with up to ten digits.
[[nodiscard]] std::string value_text(const ResultLeaf::Value& value);

} // namespace texelscope::workbench::store
