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

/// Whether the condition holds for a number that was `a` and is `b`. A change from zero to anything
/// else counts as an infinite relative change, up or down; from zero to zero is no change.
[[nodiscard]] bool holds(const DiffCondition& condition, double a, double b);

/// One value of a result and where it stands: "l1.misses".
struct ResultLeaf {
    using Value = std::variant<std::nullptr_t, bool, double, std::string>;
    std::string path;
    Value value;
};
using ResultLeaves = std::vector<ResultLeaf>;

/// The differences of two results. Paths are in the order of the first result; those that only the
/// second has are in its order.
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
    std::vector<Number> numbers; ///< values that are numbers in both, and differ
    /// Other values that differ: words, truth values, null, or of another type.
    std::vector<Other> others;
    std::vector<std::string> only_in_a;
    std::vector<std::string> only_in_b;

    [[nodiscard]] bool empty() const
    {
        return numbers.empty() && others.empty() && only_in_a.empty() && only_in_b.empty();
    }
};
[[nodiscard]] ResultDiff diff_results(const ResultLeaves& a, const ResultLeaves& b);

/// (b - a) / |a|. 0 where both are equal; nothing where only `a` is zero, since the quotient is not
/// defined then.
[[nodiscard]] std::optional<double> relative_change(double a, double b);

/// The number at a path. Throws bad_input for a path that is not there (naming the nearest one that
/// holds a number) or holds no number; `name` is what messages call the result.
[[nodiscard]] double number_at(const ResultLeaves& leaves, const std::string& path,
                               const std::string& name);

/// The numbers that a condition is about, from both results: one path, or with a "*" all paths that
/// fit. Throws bad_input as number_at() does, or where no path fits. `a_name`, `b_name`: what
/// messages call the results.
[[nodiscard]] std::vector<ResultDiff::Number>
numbers_of(const DiffCondition& condition, const ResultLeaves& a, const ResultLeaves& b,
           const std::string& a_name, const std::string& b_name);

/// A row of a result (a layer of a network, an operator, a kernel) whose number changed along with
/// a total.
struct BlamedRow {
    std::string row; ///< "nodes.conv_1"
    std::string op;  ///< where the row says it; empty: it does not
    double a = 0;    ///< its own number; 0 where the row is in one of the results alone
    double b = 0;
    double share = 0;          ///< of the change of the whole
    std::string before, after; ///< configurations, where they differ
};
/// The rows that explain a change of a total: for "total.simulated_ns" those of
/// "nodes.*.simulated_ns". The row that adds most to the change comes first; rows that did not
/// change, or changed in the other direction, are left out. If `whole` is itself a number of a row,
/// that row alone. Empty where the results have no such rows.
[[nodiscard]] std::vector<BlamedRow> blamed_rows(const ResultDiff::Number& whole,
                                                 const ResultLeaves& a, const ResultLeaves& b);

/// A value as a person reads it: whole numbers without a fraction, others with up to ten digits.
[[nodiscard]] std::string value_text(const ResultLeaf::Value& value);

} // namespace texelscope::workbench::store
