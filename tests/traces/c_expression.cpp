#include "tests/traces/c_expression.hpp"

#include <cctype>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace texelscope::test {
namespace {

/// Recursive descent; `live` is false in the branch of ?:, && and || that C would not evaluate.
class Parser {
public:
    Parser(const std::string& text, const std::map<std::string, std::int64_t>& variables)
        : text_(text), variables_(variables)
    {}

    std::int64_t whole()
    {
        const std::int64_t value = conditional(true);
        skip_space();
        if (at_ != text_.size()) {
            fail("trailing text");
        }
        return value;
    }

private:
    [[noreturn]] void fail(const std::string& why) const
    {
        throw std::runtime_error(why + " at character " + std::to_string(at_) + " of '" + text_ +
                                 "'");
    }
    void skip_space()
    {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
    }
    bool take(std::string_view token)
    {
        skip_space();
        if (text_.compare(at_, token.size(), token) != 0) {
            return false;
        }
        at_ += token.size();
        return true;
    }
    std::int64_t as_int(std::int64_t value, bool live) const
    {
        if (live && (value < std::numeric_limits<std::int32_t>::min() ||
                     value > std::numeric_limits<std::int32_t>::max())) {
            fail("overflow of int: " + std::to_string(value));
        }
        return value;
    }

    std::int64_t conditional(bool live)
    {
        const std::int64_t condition = binary(0, live);
        if (!take("?")) {
            return condition;
        }
        const std::int64_t yes = conditional(live && condition != 0);
        if (!take(":")) {
            fail("expected ':'");
        }
        const std::int64_t no = conditional(live && condition == 0);
        return condition != 0 ? yes : no;
    }

    /// Binary operators, loosest first; of two operators with a common start the longer is listed
    /// first.
    std::int64_t binary(std::size_t level, bool live)
    {
        static const std::vector<std::vector<std::string_view>> levels{{"||"},
                                                                       {"&&"},
                                                                       {"|"},
                                                                       {"^"},
                                                                       {"&"},
                                                                       {"==", "!="},
                                                                       {"<=", ">=", "<", ">"},
                                                                       {"<<", ">>"},
                                                                       {"+", "-"},
                                                                       {"*", "/", "%"}};
        if (level == levels.size()) {
            return unary(live);
        }
        std::int64_t left = binary(level + 1, live);
        for (;;) {
            std::string_view op;
            for (const std::string_view candidate : levels[level]) {
                if (op.empty() && peek_operator(candidate)) {
                    op = candidate;
                }
            }
            if (op.empty()) {
                return left;
            }
            take(op);
            const bool right_live =
                live && !(op == "&&" && left == 0) && !(op == "||" && left != 0);
            left = as_int(apply(op, left, binary(level + 1, right_live), right_live), right_live);
        }
    }

    bool peek_operator(std::string_view op)
    {
        skip_space();
        if (text_.compare(at_, op.size(), op) != 0) {
            return false;
        }
        // A single character must not be the start of a doubled operator.
        const char next = at_ + op.size() < text_.size() ? text_[at_ + op.size()] : ' ';
        return op.size() == 2 ||
               ((op != "|" && op != "&" && op != "<" && op != ">") || next != op[0]);
    }

    std::int64_t apply(std::string_view op, std::int64_t a, std::int64_t b, bool live) const
    {
        if (op == "||") {
            return a != 0 || b != 0;
        }
        if (op == "&&") {
            return a != 0 && b != 0;
        }
        if (op == "|") {
            return a | b;
        }
        if (op == "^") {
            return a ^ b;
        }
        if (op == "&") {
            return a & b;
        }
        if (op == "==") {
            return a == b;
        }
        if (op == "!=") {
            return a != b;
        }
        if (op == "<=") {
            return a <= b;
        }
        if (op == ">=") {
            return a >= b;
        }
        if (op == "<") {
            return a < b;
        }
        if (op == ">") {
            return a > b;
        }
        if (op == "+") {
            return a + b;
        }
        if (op == "-") {
            return a - b;
        }
        if (op == "*") {
            return a * b;
        }
        if (op == "<<" || op == ">>") {
            if (live && (b < 0 || b > 31 || (op == "<<" && a < 0))) {
                fail("undefined shift");
            }
            return !live ? 0 : op == "<<" ? a << b : a >> b;
        }
        if (b == 0) {
            if (live) {
                fail("division by zero");
            }
            return 0;
        }
        return op == "/" ? a / b : a % b;
    }

    std::int64_t unary(bool live)
    {
        if (take("-")) {
            return as_int(-unary(live), live);
        }
        if (take("+")) {
            return unary(live);
        }
        if (take("!")) {
            return unary(live) == 0;
        }
        if (take("~")) {
            return ~unary(live);
        }
        if (take("(")) {
            const std::int64_t value = conditional(live);
            if (!take(")")) {
                fail("expected ')'");
            }
            return value;
        }
        skip_space();
        const std::size_t start = at_;
        const auto is_word = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        };
        while (at_ < text_.size() && is_word(text_[at_])) {
            ++at_;
        }
        const std::string word = text_.substr(start, at_ - start);
        if (word.empty()) {
            fail("expected a number, a name or '('");
        }
        if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
            if (word.find_first_not_of("0123456789") != std::string::npos ||
                (word.size() > 1 && word[0] == '0')) {
                fail("not a decimal number: " + word);
            }
            return as_int(std::stoll(word), live);
        }
        const auto found = variables_.find(word);
        if (found == variables_.end()) {
            fail("unknown name " + word);
        }
        return found->second;
    }

    const std::string& text_;
    const std::map<std::string, std::int64_t>& variables_;
    std::size_t at_ = 0;
};

} // namespace

std::int64_t evaluate_c(const std::string& text,
                        const std::map<std::string, std::int64_t>& variables)
{
    return Parser(text, variables).whole();
}

} // namespace texelscope::test
