// Conditions such as `tile_x * tile_y <= 16 and pattern_1 != 'row'`. A parser by recursive descent
// turns the text into functions once; these are then asked for each configuration. From what binds
// loosest: or, and, not, comparisons (which chain, a < b < c), sums, products, signs. Errors name
// the column.

#include "workbench/space/constraint.hpp"

#include "workbench/space/constraint_tokens.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace texelscope::workbench::space {
namespace {

using Token = ConstraintToken;
using Number = std::function<std::int64_t(const ParameterValues&)>;
using Truth = std::function<bool(const ParameterValues&)>;

/// What a parameter has, or a word that the text names.
struct Word {
    std::optional<std::size_t> parameter; ///< its place among the values
    std::string literal;                  ///< where there is no parameter

    const std::string& operator()(const ParameterValues& values) const
    {
        return parameter ? std::get<std::string>(values[*parameter].second) : literal;
    }
};

/// What a part of the text is, to be asked with the values of the parameters.
struct Term {
    std::size_t column = 1;
    std::variant<Number, Truth, Word> value;
};

/// A sign between two numbers, or before one, in its text.
struct Sign {
    std::string text;
    std::size_t column = 1;
    char symbol = '+';

    /// Calculates as OpenCL C does: a quotient is rounded towards zero, a remainder has the sign of
    /// `a`. What does not fit 64 bits is an error, not a wrapped number.
    [[nodiscard]] std::int64_t operator()(std::int64_t a, std::int64_t b) const
    {
        std::int64_t result = 0;
        bool overflow = a == std::numeric_limits<std::int64_t>::min() && b == -1; // as a quotient
        if (symbol == '+') {
            overflow = __builtin_add_overflow(a, b, &result);
        } else if (symbol == '-') {
            overflow = __builtin_sub_overflow(a, b, &result);
        } else if (symbol == '*') {
            overflow = __builtin_mul_overflow(a, b, &result);
        } else if (b == 0) {
            throw constraint_error(text, column, "this divides by zero for some configurations",
                                   "exclude them before it, e.g. tile_z != 0 and ...");
        } else if (symbol == '%') {
            return overflow ? 0 : a % b;
        } else {
            result = overflow ? 0 : a / b;
        }
        if (overflow) {
            throw constraint_error(text, column, "the result does not fit 64 bits",
                                   "use smaller numbers");
        }
        return result;
    }
};

template <class Holds>
Truth compared(Number left, Number right, Holds holds)
{
    return
        [left = std::move(left), right = std::move(right), holds](const ParameterValues& values) {
            const std::int64_t a = left(values);
            return holds(a, right(values));
        };
}

/// Recursive descent from what binds loosest, a function for each level. What a level repeats (a or
/// b or c) is kept in a list, so that only brackets and signs make a term deeper.
class Parser {
public:
    Parser(const std::string& text, const ParameterValues& parameters)
        : text_(text), parameters_(parameters), tokens_(constraint_tokens(text))
    {}

    Truth condition()
    {
        if (here().kind == Token::Kind::end) {
            throw error(here().column, "the condition is empty", "write one, e.g. tile_x == 4");
        }
        Truth whole = truth(disjunction());
        if (here().kind != Token::Kind::end) {
            throw error(here().column, "a condition ends before " + shown(here()),
                        "join two by and, or");
        }
        return whole;
    }

    /// The parameters that were used.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

private:
    Term disjunction()
    {
        return joined("||", true, [this] { return conjunction(); });
    }

    Term conjunction()
    {
        return joined("&&", false, [this] { return negation(); });
    }

    /// Parts joined by a symbol: the first one whose value is `deciding` settles the whole (true
    /// for or, false for and), and the others are not asked.
    template <class Part>
    Term joined(std::string_view symbol, bool deciding, Part part)
    {
        Term first = part();
        std::vector<Truth> parts;
        while (accept({symbol})) {
            if (parts.empty()) {
                parts.push_back(truth(first));
            }
            parts.push_back(truth(part()));
        }
        return parts.empty() ? first : Term{first.column, any_is(deciding, std::move(parts))};
    }

    static Truth any_is(bool deciding, std::vector<Truth> parts)
    {
        return [deciding, parts = std::move(parts)](const ParameterValues& values) {
            return deciding == std::ranges::any_of(parts, [&](const Truth& part) {
                       return part(values) == deciding;
                   });
        };
    }

    Term negation()
    {
        const auto sign = accept({"!"});
        if (!sign) {
            return comparison();
        }
        const Nesting nesting(*this, sign->column);
        return {sign->column,
                Truth([inner = truth(negation())](const auto& values) { return !inner(values); })};
    }

    Term comparison()
    {
        const std::initializer_list<std::string_view> signs{"==", "!=", "<=", ">=", "<", ">"};
        Term left = sum();
        const std::size_t column = left.column;
        std::vector<Truth> links; // of a < b < c: a < b, b < c
        while (const auto sign = accept(signs)) {
            Term right = sum();
            links.push_back(comparing(*sign, left, right));
            left = std::move(right);
        }
        return links.empty() ? left : Term{column, any_is(false, std::move(links))};
    }

    Term sum()
    {
        return calculated({"+", "-"}, [this] { return product(); });
    }

    Term product()
    {
        return calculated({"*", "/", "%"}, [this] { return factor(); });
    }

    template <class Part>
    Term calculated(std::initializer_list<std::string_view> signs, Part part)
    {
        Term first = part();
        std::vector<std::pair<Sign, Number>> steps;
        while (const auto sign = accept(signs)) {
            (void)number(first);
            steps.emplace_back(Sign{text_, sign->column, sign->text.front()}, number(part()));
        }
        if (steps.empty()) {
            return first;
        }
        return {first.column, Number([first = number(first),
                                      steps = std::move(steps)](const ParameterValues& values) {
                    std::int64_t result = first(values);
                    for (const auto& [sign, right] : steps) {
                        result = sign(result, right(values));
                    }
                    return result;
                })};
    }

    Term factor()
    {
        const auto sign = accept({"-"});
        if (!sign) {
            return primary();
        }
        const Nesting nesting(*this, sign->column);
        return {sign->column,
                Number([inner = number(factor()), minus = Sign{text_, sign->column, '-'}](
                           const ParameterValues& values) { return minus(0, inner(values)); })};
    }

    Term primary()
    {
        const Token token = here();
        if (accept({"("})) {
            const Nesting nesting(*this, token.column);
            Term term = disjunction();
            if (!accept({")"})) {
                throw error(here().column,
                            fmt::format("the bracket of column {} is not closed", token.column),
                            "put a ) here");
            }
            term.column = token.column;
            return term;
        }
        switch (token.kind) {
        case Token::Kind::number:
            ++next_;
            return literal(token);
        case Token::Kind::name:
            ++next_;
            return parameter(token);
        case Token::Kind::word:
            ++next_;
            return {token.column, Word{{}, token.text}};
        default:
            throw error(token.column, "a value is missing before " + shown(token),
                        "put a parameter, a number, or a word in quotes here");
        }
    }

    Term literal(const Token& token)
    {
        std::int64_t value = 0;
        const auto [end, failed] =
            std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (failed != std::errc{}) {
            throw error(token.column, token.text + " does not fit 64 bits", "use a smaller number");
        }
        return {token.column, Number([value](const ParameterValues&) { return value; })};
    }

    Term parameter(const Token& token)
    {
        const auto found =
            std::ranges::find(parameters_, token.text, &ParameterValues::value_type::first);
        if (found == parameters_.end()) {
            throw unknown(token);
        }
        names_.push_back(token.text);
        const auto place = static_cast<std::size_t>(found - parameters_.begin());
        if (std::holds_alternative<std::string>(found->second)) {
            return {token.column, Word{place, {}}};
        }
        return {token.column, Number([place](const ParameterValues& values) {
                    return std::get<std::int64_t>(values[place].second);
                })};
    }

    // The message for a name that is no parameter.
    [[nodiscard]] Error unknown(const Token& token) const
    {
        std::vector<std::string> names;
        for (const auto& [name, value] : parameters_) {
            const auto words = parameter_words(name);
            // It may be a word whose quotes a shell has eaten.
            if (std::find(words.begin(), words.end(), token.text) != words.end()) {
                return error(token.column,
                             "there is no parameter '" + token.text + "', it is a word",
                             "put it in quotes: \"" + name + " == '" + token.text + "'\"");
            }
            names.push_back(name);
        }
        return error(token.column, "there is no parameter '" + token.text + "'",
                     fmt::format("parameters are {}", fmt::join(names, ", ")));
    }

    [[nodiscard]] Truth comparing(const Token& sign, const Term& left, const Term& right) const
    {
        const auto* const a = std::get_if<Word>(&left.value);
        const auto* const b = std::get_if<Word>(&right.value);
        if (a == nullptr || b == nullptr) {
            const Number& x = number(left);
            const Number& y = number(right);
            return sign.text == "=="   ? compared(x, y, std::equal_to<>())
                   : sign.text == "!=" ? compared(x, y, std::not_equal_to<>())
                   : sign.text == "<"  ? compared(x, y, std::less<>())
                   : sign.text == "<=" ? compared(x, y, std::less_equal<>())
                   : sign.text == ">"  ? compared(x, y, std::greater<>())
                                       : compared(x, y, std::greater_equal<>());
        }
        if (sign.text != "==" && sign.text != "!=") {
            throw error(sign.column, "words have no order", "compare them by == or !=");
        }
        check_word(*a, *b, right.column);
        check_word(*b, *a, left.column);
        return [a = *a, b = *b, same = sign.text == "=="](const ParameterValues& values) {
            return (a(values) == b(values)) == same;
        };
    }

    /// A word in quotes that the parameter never has is a slip: the comparison would be the same
    /// for all configurations.
    void check_word(const Word& of, const Word& quoted, std::size_t column) const
    {
        if (!of.parameter || quoted.parameter) {
            return;
        }
        const std::string& name = parameters_[*of.parameter].first;
        const auto words = parameter_words(name);
        if (!words.empty() &&
            std::find(words.begin(), words.end(), quoted.literal) == words.end()) {
            throw error(column, fmt::format("{} is never '{}'", name, quoted.literal),
                        fmt::format("it is one of '{}'", fmt::join(words, "', '")));
        }
    }

    [[nodiscard]] const Number& number(const Term& term) const
    {
        if (std::holds_alternative<Word>(term.value)) {
            throw error(term.column, "a word is no number",
                        "compare words with words, by == or !=, e.g. pattern_1 != 'row'");
        }
        if (std::holds_alternative<Truth>(term.value)) {
            throw error(term.column, "a condition is no number", "join conditions by and, or");
        }
        return std::get<Number>(term.value);
    }

    [[nodiscard]] const Truth& truth(const Term& term) const
    {
        if (std::holds_alternative<Number>(term.value)) {
            throw error(term.column, "a number is no condition",
                        "compare it with another one, e.g. tile_x == 4");
        }
        if (std::holds_alternative<Word>(term.value)) {
            throw error(term.column, "a word is no condition",
                        "compare it with another one, e.g. pattern_1 != 'row'");
        }
        return std::get<Truth>(term.value);
    }

    [[nodiscard]] const Token& here() const { return tokens_[next_]; }

    /// Goes on behind the token where it is one of those symbols.
    std::optional<Token> accept(std::initializer_list<std::string_view> symbols)
    {
        if (here().kind != Token::Kind::symbol ||
            std::find(symbols.begin(), symbols.end(), here().text) == symbols.end()) {
            return std::nullopt;
        }
        return tokens_[next_++];
    }

    static std::string shown(const Token& token)
    {
        return token.kind == Token::Kind::end ? "the end" : "'" + token.text + "'";
    }

    [[nodiscard]] Error error(std::size_t column, const std::string& what,
                              const std::string& remedy) const
    {
        return constraint_error(text_, column, what, remedy);
    }

    /// One level deeper, until it goes out of scope: the parser's own stack is finite.
    class Nesting {
    public:
        Nesting(Parser& parser, std::size_t column) : parser_(parser)
        {
            if (++parser_.depth_ > deepest) {
                throw parser.error(
                    column, fmt::format("more than {} brackets and signs in each other", deepest),
                    "write it with fewer");
            }
        }
        ~Nesting() { --parser_.depth_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;

    private:
        static constexpr int deepest = 200;
        Parser& parser_;
    };

    const std::string& text_;
    const ParameterValues& parameters_;
    std::vector<Token> tokens_;
    std::vector<std::string> names_;
    std::size_t next_ = 0;
    int depth_ = 0;
};

} // namespace

Constraint::Constraint(const std::string& text, const ParameterValues& parameters) : text_(text)
{
    Parser parser(text, parameters);
    holds_ = parser.condition();
    names_ = parser.names();
}

} // namespace texelscope::workbench::space
