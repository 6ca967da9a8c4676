#include "experiments/space/constraint.hpp"

#include "experiments/space/constraint_tokens.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace texelscope::experiments {
namespace {

using Code = ConstraintInstruction::Code;
using Token = ConstraintToken;

/// What a part of the text is. Numbers and truths are on the stack when its code has run; a word is in here.
struct Term {
    enum class Kind { number, truth, word };
    Kind kind = Kind::number;
    std::size_t column = 1;
    ConstraintWord word = {};
};

/// Descends from what binds loosest; each function reads one level and appends its code.
class Parser {
public:
    Parser(const std::string& text, const ParameterValues& parameters)
        : parameters_(parameters), tokens_(constraint_tokens(text)), program_{text, {}}
    {}

    ConstraintProgram program()
    {
        if (here().kind == Token::Kind::end) {
            throw error(here().column, "the condition is empty", "write one, e.g. tile_x == 4");
        }
        need_truth(disjunction());
        if (here().kind != Token::Kind::end) {
            throw error(here().column, "a condition ends before " + shown(here()), "join two by and, or");
        }
        return std::move(program_);
    }

private:
    Term disjunction()
    {
        return joined("||", Code::if_skip, [this] { return conjunction(); });
    }

    Term conjunction()
    {
        return joined("&&", Code::unless_skip, [this] { return negation(); });
    }

    template <class Part>
    Term joined(std::string_view symbol, Code skip, Part part)
    {
        Term term = part();
        while (accept({symbol})) {
            need_truth(term);
            const std::size_t place = emit(skip, term.column);
            need_truth(part());
            instruction(place).operand = std::ssize(program_.instructions);
        }
        return term;
    }

    Term negation()
    {
        const auto sign = accept({"!"});
        if (!sign) {
            return comparison();
        }
        const Nesting nesting(*this, sign->column);
        need_truth(negation());
        emit(Code::invert, sign->column);
        return {Term::Kind::truth, sign->column};
    }

    Term comparison()
    {
        const std::initializer_list<std::string_view> signs{"==", "!=", "<=", ">=", "<", ">"};
        Term left = sum();
        auto sign = accept(signs);
        if (!sign) {
            return left;
        }
        const Term truth{Term::Kind::truth, left.column};
        std::vector<std::size_t> skips;
        for (;;) {
            const std::size_t begin = program_.instructions.size();
            Term right = sum();
            const std::size_t end = program_.instructions.size();
            compare(*sign, left, right);
            sign = accept(signs);
            if (!sign) {
                break;
            }
            // a < b < c: b once more, for the second comparison. Numbers are made without skips, so code can be moved.
            skips.push_back(emit(Code::unless_skip, sign->column));
            for (std::size_t i = begin; i < end; ++i) {
                program_.instructions.push_back(ConstraintInstruction(instruction(i)));
            }
            left = right;
        }
        for (const std::size_t skip : skips) {
            instruction(skip).operand = std::ssize(program_.instructions);
        }
        return truth;
    }

    Term sum()
    {
        return calculated({{"+", Code::add}, {"-", Code::subtract}}, [this] { return product(); });
    }

    Term product()
    {
        return calculated({{"*", Code::multiply}, {"/", Code::divide}, {"%", Code::remainder}},
                          [this] { return factor(); });
    }

    template <class Part>
    Term calculated(std::initializer_list<std::pair<std::string_view, Code>> operations, Part part)
    {
        Term term = part();
        for (bool more = true; more;) {
            more = false;
            for (const auto& [symbol, code] : operations) {
                if (const auto sign = accept({symbol})) {
                    need_number(term);
                    need_number(part());
                    emit(code, sign->column);
                    more = true;
                    break;
                }
            }
        }
        return term;
    }

    Term factor()
    {
        const auto sign = accept({"-"});
        if (!sign) {
            return primary();
        }
        const Nesting nesting(*this, sign->column);
        need_number(factor());
        emit(Code::negate, sign->column);
        return {Term::Kind::number, sign->column};
    }

    Term primary()
    {
        const Token token = here();
        if (accept({"("})) {
            const Nesting nesting(*this, token.column);
            Term term = disjunction();
            if (!accept({")"})) {
                throw error(here().column, fmt::format("the bracket of column {} is not closed", token.column),
                            "put a ) here");
            }
            term.column = token.column;
            return term;
        }
        switch (token.kind) {
        case Token::Kind::number:
            ++next_;
            return number(token);
        case Token::Kind::name:
            ++next_;
            return parameter(token);
        case Token::Kind::word:
            ++next_;
            return {Term::Kind::word, token.column, {{}, token.text}};
        default:
            throw error(token.column, "a value is missing before " + shown(token),
                        "put a parameter, a number, or a word in quotes here");
        }
    }

    Term number(const Token& token)
    {
        std::int64_t value = 0;
        const auto [end, failed] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (failed != std::errc{}) {
            throw error(token.column, token.text + " does not fit 64 bits", "use a smaller number");
        }
        instruction(emit(Code::number, token.column)).operand = value;
        return {Term::Kind::number, token.column};
    }

    Term parameter(const Token& token)
    {
        const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                        [&](const auto& parameter) { return parameter.first == token.text; });
        if (found == parameters_.end()) {
            throw unknown(token);
        }
        const auto place = found - parameters_.begin();
        if (std::holds_alternative<std::string>(found->second)) {
            return {Term::Kind::word, token.column, {static_cast<std::size_t>(place), {}}};
        }
        instruction(emit(Code::parameter, token.column)).operand = place;
        return {Term::Kind::number, token.column};
    }

    [[nodiscard]] Error unknown(const Token& token) const
    {
        std::vector<std::string> names;
        for (const auto& [name, value] : parameters_) {
            const auto words = parameter_words(name);
            if (std::find(words.begin(), words.end(), token.text) != words.end()) { // a shell has eaten the quotes
                return error(token.column, "there is no parameter '" + token.text + "', it is a word",
                             "put it in quotes: \"" + name + " == '" + token.text + "'\"");
            }
            names.push_back(name);
        }
        return error(token.column, "there is no parameter '" + token.text + "'",
                     fmt::format("parameters are {}", fmt::join(names, ", ")));
    }

    void compare(const Token& sign, const Term& left, const Term& right)
    {
        constexpr std::array<std::pair<std::string_view, Code>, 6> codes{{{"==", Code::equal},
                                                                          {"!=", Code::unequal},
                                                                          {"<", Code::less},
                                                                          {"<=", Code::less_equal},
                                                                          {">", Code::greater},
                                                                          {">=", Code::greater_equal}}};
        const bool words = left.kind == Term::Kind::word && right.kind == Term::Kind::word;
        if (!words) {
            need_number(left);
            need_number(right);
            const auto* const found =
                std::find_if(codes.begin(), codes.end(), [&](const auto& code) { return code.first == sign.text; });
            emit(found->second, sign.column);
            return;
        }
        if (sign.text != "==" && sign.text != "!=") {
            throw error(sign.column, "words have no order", "compare them by == or !=");
        }
        check_word(left, right);
        check_word(right, left);
        instruction(emit(Code::same_word, sign.column)).words = {left.word, right.word};
        if (sign.text == "!=") {
            emit(Code::invert, sign.column);
        }
    }

    /// A word in quotes that the parameter never has is a slip: the comparison would be the same for all configurations.
    void check_word(const Term& of, const Term& literal) const
    {
        if (!of.word.parameter || literal.word.parameter) {
            return;
        }
        const std::string& name = parameters_[*of.word.parameter].first;
        const auto words = parameter_words(name);
        if (!words.empty() && std::find(words.begin(), words.end(), literal.word.literal) == words.end()) {
            throw error(literal.column, fmt::format("{} is never '{}'", name, literal.word.literal),
                        fmt::format("it is one of '{}'", fmt::join(words, "', '")));
        }
    }

    void need_number(const Term& term) const
    {
        if (term.kind == Term::Kind::word) {
            throw error(term.column, "a word is no number",
                        "compare words with words, by == or !=, e.g. pattern_1 != 'row'");
        }
        if (term.kind == Term::Kind::truth) {
            throw error(term.column, "a condition is no number", "join conditions by and, or");
        }
    }

    void need_truth(const Term& term) const
    {
        if (term.kind == Term::Kind::number) {
            throw error(term.column, "a number is no condition", "compare it with another one, e.g. tile_x == 4");
        }
        if (term.kind == Term::Kind::word) {
            throw error(term.column, "a word is no condition", "compare it with another one, e.g. pattern_1 != 'row'");
        }
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

    std::size_t emit(Code code, std::size_t column)
    {
        program_.instructions.push_back({code, 0, column, {}});
        return program_.instructions.size() - 1;
    }
    ConstraintInstruction& instruction(std::size_t place) { return program_.instructions[place]; }

    static std::string shown(const Token& token)
    {
        return token.kind == Token::Kind::end ? "the end" : "'" + token.text + "'";
    }

    [[nodiscard]] Error error(std::size_t column, const std::string& what, const std::string& remedy) const
    {
        return constraint_error(program_.text, column, what, remedy);
    }

    /// One level deeper, until it goes out of scope: the parser's own stack is finite.
    class Nesting {
    public:
        Nesting(Parser& parser, std::size_t column) : parser_(parser)
        {
            if (++parser_.depth_ > deepest) {
                throw parser.error(column, fmt::format("more than {} brackets and signs in each other", deepest),
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

    const ParameterValues& parameters_;
    std::vector<Token> tokens_;
    std::size_t next_ = 0;
    int depth_ = 0;
    ConstraintProgram program_;
};

} // namespace

Constraint::Constraint(const std::string& text, const ParameterValues& parameters)
    : program_(Parser(text, parameters).program())
{}

} // namespace texelscope::experiments
