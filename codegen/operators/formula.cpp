#include "codegen/operators/formula.hpp"

#include "base/error.hpp"
#include "codegen/nest/number_functions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace texelscope::codegen {
namespace {

struct Token {
    enum class Kind { name, number, symbol, end };
    Kind kind = Kind::end;
    std::string text;
    std::size_t column = 1; ///< in characters from 1 on
};

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/// The length of the number that begins there: 2, 0.5, 1e-5.
std::size_t number_length(std::string_view text)
{
    std::size_t length = 0;
    for (bool exponent = false; length < text.size(); ++length) {
        const char c = text[length];
        const bool sign = (c == '+' || c == '-') && length > 0 &&
                          (text[length - 1] == 'e' || text[length - 1] == 'E');
        if (!is_digit(c) && c != '.' && !sign && (exponent || (c != 'e' && c != 'E'))) {
            break;
        }
        exponent = exponent || c == 'e' || c == 'E';
    }
    return length;
}

std::vector<Token> tokens_of(const std::string& text)
{
    std::vector<Token> tokens;
    std::size_t column = 1;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        std::size_t length = 1;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at, ++column;
            continue;
        }
        Token token{Token::Kind::symbol, {}, column};
        if (is_digit(c) || c == '.') {
            token.kind = Token::Kind::number;
            length = number_length(std::string_view(text).substr(at));
        } else if (is_name(c)) {
            token.kind = Token::Kind::name;
            while (at + length < text.size() && is_name(text[at + length])) {
                ++length;
            }
        } else if (std::string_view("[](),:=+-*/%").find(c) == std::string_view::npos) {
            refuse_formula(text, column, "a character that means nothing here",
                           "use names, numbers and [ ] ( ) , : = + - * / %");
        }
        token.text = text.substr(at, length);
        tokens.push_back(std::move(token));
        at += length;
        column += length;
    }
    tokens.push_back({Token::Kind::end, "the end", column});
    return tokens;
}

constexpr std::array<std::pair<std::string_view, Formula::Reduction>, 4> reductions{
    {{"sum", Formula::Reduction::sum},
     {"prod", Formula::Reduction::product},
     {"max", Formula::Reduction::largest},
     {"min", Formula::Reduction::smallest}}};

std::string_view name_of(Formula::Reduction reduction)
{
    return std::ranges::find(reductions, reduction,
                             &std::pair<std::string_view, Formula::Reduction>::second)
        ->first;
}

/// The row of a function by the name that formulas have for it.
std::size_t row_of(std::string_view name)
{
    constexpr std::array<std::array<std::string_view, 2>, 3> others{
        {{"max", "fmax"}, {"min", "fmin"}, {"abs", "fabs"}}};
    for (const auto& [ours, table] : others) {
        name = name == ours ? table : name;
    }
    const auto* const row = std::ranges::find(function_table, name, &NumberFunction::name);
    return row == std::end(function_table) || row->sums
               ? std::size(function_table)
               : static_cast<std::size_t>(row - std::begin(function_table));
}

std::vector<std::string> function_names()
{
    std::vector<std::string> names{"max", "min", "abs", "relu"};
    for (const NumberFunction& row : function_table) {
        if (!row.sums && row.name[0] != 'f') {
            names.emplace_back(row.name);
        }
    }
    names.emplace_back("floor");
    return names;
}

/// ":3" or ":H", or nothing.
std::string size_text(const FormulaSize& size)
{
    return !size.said() ? "" : ":" + (size.name.empty() ? std::to_string(size.number) : size.name);
}

std::string variables_text(const std::vector<FormulaVariable>& variables)
{
    std::vector<std::string> texts;
    texts.reserve(variables.size());
    for (const FormulaVariable& variable : variables) {
        texts.push_back(variable.name + size_text(variable.size));
    }
    return fmt::format("{}", fmt::join(texts, ","));
}

std::string access_text(const FormulaAccess& access)
{
    std::vector<std::string> indices;
    for (std::size_t d = 0; d < access.index.size(); ++d) {
        indices.push_back(to_string(access.index[d]) + size_text(access.extents[d]));
    }
    return fmt::format("{}[{}]", access.tensor, fmt::join(indices, ","));
}

/// By recursive descent, one function for each rule of the grammar.
class Parser {
public:
    explicit Parser(const std::string& text) : text_(text), tokens_(tokens_of(text)) {}

    Formula formula()
    {
        if (peek().text == "d" && peek(1).kind == Token::Kind::name) {
            next();
            formula_.gradient = name("a tensor");
            if (next().text != "of") {
                refuse_formula(text_, tokens_[at_ - 1].column, "'of' is missing",
                               "write d " + formula_.gradient + " of O[..] = ..");
            }
        }
        formula_.output = name("the output's name");
        expect("[", "the output has its index variables in brackets: O[m,n] = ..");
        do {
            formula_.outputs.push_back(variable());
        } while (accept(","));
        expect("]", "write , or ] behind an index");
        expect("=", "write = behind the output");
        formula_.result = expression();
        if (peek().kind != Token::Kind::end) {
            refuse_formula(text_, peek().column, "'" + peek().text + "' is too much here",
                           "put an operator before it, or leave it out");
        }
        sort_accesses();
        formula_.text = fmt::format(
            "{}{}[{}] = {}", formula_.gradient.empty() ? "" : "d " + formula_.gradient + " of ",
            formula_.output, variables_text(formula_.outputs),
            to_string(formula_.result, formula_));
        return std::move(formula_);
    }

private:
    using Node = FormulaNode;
    using Index = FormulaIndex;

    [[nodiscard]] const Token& peek(std::size_t ahead = 0) const
    {
        return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    }
    const Token& next() { return tokens_[std::min(at_++, tokens_.size() - 1)]; }
    bool accept(std::string_view symbol)
    {
        const bool there = peek().kind == Token::Kind::symbol && peek().text == symbol;
        at_ += there ? 1 : 0;
        return there;
    }
    void expect(std::string_view symbol, const std::string& remedy)
    {
        if (!accept(symbol)) {
            refuse_formula(text_, peek().column,
                           fmt::format("{} stands where {} should", peek().text, symbol), remedy);
        }
    }
    std::string name(const std::string& what)
    {
        if (peek().kind != Token::Kind::name) {
            refuse_formula(text_, peek().column,
                           fmt::format("{} stands where {} should", peek().text, what),
                           "write a name of letters and digits");
        }
        return next().text;
    }
    std::int64_t whole_number(const std::string& remedy)
    {
        const Token& token = next();
        std::int64_t number = 0;
        const char* const end = token.text.data() + token.text.size();
        const auto [rest, error] = std::from_chars(token.text.data(), end, number);
        if (token.kind != Token::Kind::number || error != std::errc{} || rest != end) {
            refuse_formula(text_, token.column, token.text + " is no whole number", remedy);
        }
        return number;
    }

    /// ": 3" or ": H", or nothing.
    FormulaSize size()
    {
        FormulaSize size;
        if (accept(":")) {
            if (peek().kind == Token::Kind::name) {
                size.name = next().text;
            } else if (size.number = whole_number("write a size: a number from 1 on, or a name");
                       size.number < 1) {
                refuse_formula(text_, tokens_[at_ - 1].column, "a size of 0",
                               "write a number from 1 on");
            }
        }
        return size;
    }
    FormulaVariable variable()
    {
        FormulaVariable variable;
        variable.column = peek().column;
        variable.name = name("an index variable");
        variable.size = size();
        return variable;
    }

    template <class Sub>
    Node operation(Node left, Node::Kind kind, std::size_t column, const Sub& right)
    {
        Node node;
        node.kind = kind;
        node.column = column;
        node.operands.push_back(std::move(left));
        node.operands.push_back(right());
        return node;
    }

    Node expression()
    {
        Node left = term();
        while (true) {
            const std::size_t column = peek().column;
            if (accept("+")) {
                left = operation(std::move(left), Node::Kind::add, column, [&] { return term(); });
            } else if (accept("-")) {
                left = operation(std::move(left), Node::Kind::subtract, column,
                                 [&] { return term(); });
            } else {
                return left;
            }
        }
    }
    Node term()
    {
        Node left = factor();
        while (true) {
            const std::size_t column = peek().column;
            if (accept("*")) {
                left = operation(std::move(left), Node::Kind::multiply, column,
                                 [&] { return factor(); });
            } else if (accept("/")) {
                left = operation(std::move(left), Node::Kind::divide, column,
                                 [&] { return factor(); });
            } else {
                return left;
            }
        }
    }
    Node factor()
    {
        const std::size_t column = peek().column;
        if (!accept("-")) {
            return primary();
        }
        Node node = factor();
        if (node.kind == Node::Kind::number) {
            node.number = -node.number;
            return node;
        }
        Node negated;
        negated.kind = Node::Kind::negate;
        negated.column = column;
        negated.operands.push_back(std::move(node));
        return negated;
    }
    Node primary()
    {
        const Token& token = next();
        Node node;
        node.column = token.column;
        if (token.kind == Token::Kind::number) {
            const char* const end = token.text.data() + token.text.size();
            const auto [rest, error] = std::from_chars(token.text.data(), end, node.number);
            if (error != std::errc{} || rest != end) {
                refuse_formula(text_, token.column, token.text + " is no number",
                               "write it like 2, 0.5 or 1e-5");
            }
            return node;
        }
        if (token.kind == Token::Kind::symbol && token.text == "(") {
            node = expression();
            expect(")", "close the bracket");
            return node;
        }
        if (token.kind != Token::Kind::name) {
            refuse_formula(text_, token.column,
                           token.text + " stands where a number or a tensor should",
                           "write e.g. X[i], 2 or (..)");
        }
        if (accept("[")) {
            return access(token);
        }
        if (accept("(")) {
            return is_reduction(token.text) ? reduced(token) : called(token);
        }
        refuse_formula(
            text_, token.column, "'" + token.text + "' has no brackets",
            fmt::format("write {}[..] for a tensor; index variables are no numbers", token.text));
    }

    /// Whether names alone stand up to the bracket that closes.
    [[nodiscard]] bool is_reduction(const std::string& word) const
    {
        if (std::ranges::find(reductions, std::string_view(word),
                              &std::pair<std::string_view, Formula::Reduction>::first) ==
            reductions.end()) {
            return false;
        }
        if (row_of(word) == std::size(function_table)) { // sum, prod
            return true;
        }
        for (std::size_t ahead = 0;; ++ahead) {
            const Token& token = peek(ahead);
            if (token.text == ")" || token.kind == Token::Kind::end) {
                return true;
            }
            if (token.text == "[" || token.text == "(" ||
                (token.kind == Token::Kind::symbol && token.text != "," && token.text != ":")) {
                return false;
            }
        }
    }

    Node reduced(const Token& token)
    {
        if (formula_.reduction != Formula::Reduction::none) {
            refuse_formula(text_, token.column, "a second reduction",
                           "a kernel has one; state the other as an operator of its own");
        }
        formula_.reduction =
            std::ranges::find(reductions, std::string_view(token.text),
                              &std::pair<std::string_view, Formula::Reduction>::first)
                ->second;
        do {
            formula_.reductions.push_back(variable());
        } while (accept(","));
        expect(")", "write , or ) behind a variable");
        in_term_ = true;
        formula_.term = term();
        in_term_ = false;
        Node node;
        node.kind = Node::Kind::reduced;
        node.column = token.column;
        return node;
    }

    Node called(const Token& token)
    {
        Node node;
        node.kind = Node::Kind::call;
        node.column = token.column;
        do {
            node.operands.push_back(expression());
        } while (accept(","));
        expect(")", "close the bracket");
        if (token.text == "relu" && node.operands.size() == 1) { // fmax(x, 0)
            node.function = row_of("fmax");
            Node zero;
            zero.column = token.column;
            node.operands.push_back(std::move(zero));
            return node;
        }
        node.function = row_of(token.text);
        if (node.function == std::size(function_table)) {
            refuse_formula(text_, token.column, "there is no function " + token.text,
                           fmt::format("functions are {}; reductions sum, prod, max, min",
                                       fmt::join(function_names(), ", ")));
        }
        const auto operands = static_cast<std::size_t>(function_table[node.function].operands);
        if (node.operands.size() != operands) {
            refuse_formula(text_, token.column,
                           fmt::format("{} has {} arguments", token.text, node.operands.size()),
                           fmt::format("it takes {}", operands));
        }
        return node;
    }

    Node access(const Token& token)
    {
        FormulaAccess access;
        access.tensor = token.text;
        access.column = token.column;
        do {
            access.index.push_back(index());
            access.extents.push_back(size());
        } while (accept(","));
        expect("]", "write , or ] behind an index");
        Node node;
        node.kind = Node::Kind::access;
        node.column = token.column;
        // What is read twice alike, in the term or outside of it, is one access.
        const std::string text = access_text(access);
        while (node.access < of_term_.size() &&
               (of_term_[node.access] != in_term_ ||
                access_text(formula_.accesses[node.access]) != text)) {
            ++node.access;
        }
        if (node.access == of_term_.size()) {
            formula_.accesses.push_back(std::move(access));
            of_term_.push_back(in_term_);
        }
        return node;
    }

    Index index_of(Index::Kind kind, Index left, Index right, std::size_t column)
    {
        Index index;
        index.kind = kind;
        index.column = column;
        index.operands.push_back(std::move(left));
        index.operands.push_back(std::move(right));
        return index;
    }
    Index index()
    {
        Index left = index_term();
        while (true) {
            const std::size_t column = peek().column;
            if (accept("+")) {
                left = index_of(Index::Kind::add, std::move(left), index_term(), column);
            } else if (accept("-")) {
                left = index_of(Index::Kind::subtract, std::move(left), index_term(), column);
            } else {
                return left;
            }
        }
    }
    Index index_term()
    {
        Index left = index_factor();
        while (true) {
            const std::size_t column = peek().column;
            if (accept("*")) {
                left = index_of(Index::Kind::multiply, std::move(left), index_factor(), column);
            } else if (peek().text == "/" || peek().text == "%") {
                const bool quotient = next().text == "/";
                Index divisor = index_factor();
                if (divisor.kind != Index::Kind::number || divisor.number < 1) {
                    refuse_formula(text_, column, "an index divided by what is no number",
                                   "divide by a whole number from 1 on");
                }
                left = index_of(quotient ? Index::Kind::divide : Index::Kind::remainder,
                                std::move(left), std::move(divisor), column);
            } else {
                return left;
            }
        }
    }
    Index index_factor()
    {
        Index index;
        index.column = peek().column;
        if (accept("(")) {
            index = this->index();
            expect(")", "close the bracket");
        } else if (accept("-")) {
            Index zero;
            index = index_of(Index::Kind::subtract, zero, index_factor(), index.column);
        } else if (peek().kind == Token::Kind::name) {
            index.kind = Index::Kind::variable;
            index.variable = next().text;
        } else {
            index.number = whole_number("an index is made of variables and whole numbers");
        }
        return index;
    }

    /// Puts the accesses of the term first, and numbers the nodes accordingly.
    void sort_accesses()
    {
        std::vector<FormulaAccess> sorted;
        std::vector<std::size_t> place(of_term_.size());
        for (const bool term : {true, false}) {
            for (std::size_t i = 0; i < of_term_.size(); ++i) {
                if (of_term_[i] == term) {
                    place[i] = sorted.size();
                    sorted.push_back(std::move(formula_.accesses[i]));
                }
            }
            formula_.term_accesses = term ? sorted.size() : formula_.term_accesses;
        }
        formula_.accesses = std::move(sorted);
        renumber(formula_.term, place);
        renumber(formula_.result, place);
    }
    static void renumber(Node& node, const std::vector<std::size_t>& place)
    {
        if (node.kind == Node::Kind::access) {
            node.access = place[node.access];
        }
        for (Node& operand : node.operands) {
            renumber(operand, place);
        }
    }

    const std::string& text_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    Formula formula_;
    bool in_term_ = false;
    std::vector<bool> of_term_; ///< of each access: whether it stands in the term
};

/// How tightly an operation binds, so that brackets stand only where they must.
int strength(FormulaNode::Kind kind)
{
    switch (kind) {
    case FormulaNode::Kind::add:
    case FormulaNode::Kind::subtract:
        return 1;
    case FormulaNode::Kind::multiply:
    case FormulaNode::Kind::divide:
    case FormulaNode::Kind::reduced: // it takes the product behind it
        return 2;
    case FormulaNode::Kind::negate:
        return 3;
    default:
        return 4;
    }
}

std::string bracketed(const FormulaNode& node, const Formula& formula, bool brackets)
{
    std::string text = to_string(node, formula);
    return brackets ? "(" + text + ")" : text;
}

std::string reduction_text(const Formula& formula)
{
    return fmt::format("{}({}) {}", name_of(formula.reduction), variables_text(formula.reductions),
                       bracketed(formula.term, formula, strength(formula.term.kind) < 2));
}

} // namespace

bool is_formula(const std::string& name)
{
    return name.find('[') != std::string::npos || name.find('=') != std::string::npos;
}

Formula parse_formula(const std::string& text)
{
    return Parser(text).formula();
}

std::string to_string(const FormulaIndex& index)
{
    using Kind = FormulaIndex::Kind;
    if (index.kind == Kind::number) {
        return std::to_string(index.number);
    }
    if (index.kind == Kind::variable) {
        return index.variable;
    }
    const bool sum = index.kind == Kind::add || index.kind == Kind::subtract;
    const auto side = [&](const FormulaIndex& operand, bool right) {
        const bool is_sum = operand.kind == Kind::add || operand.kind == Kind::subtract;
        const bool is_leaf = operand.kind == Kind::number || operand.kind == Kind::variable;
        const bool brackets = sum ? right && is_sum : is_sum || (right && !is_leaf);
        return brackets ? "(" + to_string(operand) + ")" : to_string(operand);
    };
    const FormulaIndex& left = index.operands[0];
    constexpr std::string_view signs = "+-*/%";
    const char sign =
        signs[static_cast<std::size_t>(index.kind) - static_cast<std::size_t>(Kind::add)];
    const bool negated =
        index.kind == Kind::subtract && left.kind == Kind::number && left.number == 0;
    return fmt::format("{}{}{}", negated ? "" : side(left, false), sign,
                       side(index.operands[1], true));
}

std::string to_string(const FormulaNode& node, const Formula& formula)
{
    using Kind = FormulaNode::Kind;
    const auto side = [&](std::size_t operand, bool right) {
        const FormulaNode& of = node.operands[operand];
        const int own = strength(node.kind);
        // What stands behind a reduction would be taken into it.
        const bool taken_in = !right && of.kind == Kind::reduced && own == 2;
        return bracketed(of, formula,
                         taken_in || strength(of.kind) < own ||
                             (right && strength(of.kind) == own));
    };
    switch (node.kind) {
    case Kind::number:
        return fmt::format("{}", node.number);
    case Kind::access:
        return access_text(formula.accesses[node.access]);
    case Kind::reduced:
        return reduction_text(formula);
    case Kind::add:
        return side(0, false) + " + " + side(1, true);
    case Kind::subtract:
        return side(0, false) + " - " + side(1, true);
    case Kind::multiply:
        return side(0, false) + " * " + side(1, true);
    case Kind::divide:
        return side(0, false) + " / " + side(1, true);
    case Kind::negate:
        return "-" + side(0, true);
    case Kind::call:
        break;
    }
    std::vector<std::string> operands;
    for (const FormulaNode& operand : node.operands) {
        operands.push_back(to_string(operand, formula));
    }
    return fmt::format("{}({})", function_table[node.function].name, fmt::join(operands, ", "));
}

void refuse_formula(const std::string& text, std::size_t column, const std::string& what,
                    const std::string& remedy)
{
    throw bad_input(what, fmt::format("formula \"{}\", column {}", text, column), remedy);
}

} // namespace texelscope::codegen
