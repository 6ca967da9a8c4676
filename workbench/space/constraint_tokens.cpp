#include "workbench/space/constraint_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace texelscope::workbench::space {
namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/// Bytes of UTF-8 that go on with the character before them.
bool continues(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Symbols; those of two characters come first, so that "<=" is not read as "<".
constexpr std::array<std::string_view, 17> symbols{
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "%", "(", ")", "="};

class Tokenizer {
public:
    explicit Tokenizer(const std::string& text) : text_(text) {}

    std::vector<ConstraintToken> tokens()
    {
        std::vector<ConstraintToken> all;
        for (skip_spaces(); at_ < text_.size(); skip_spaces()) {
            all.push_back(next());
        }
        all.push_back({ConstraintToken::Kind::end, "", column_});
        return all;
    }

private:
    using Kind = ConstraintToken::Kind;

    ConstraintToken next()
    {
        const std::size_t start = column_;
        const char c = text_[at_];
        if (is_digit(c)) {
            const std::string digits = take([](char d) { return is_name(d) || d == '.'; });
            if (!std::all_of(digits.begin(), digits.end(), is_digit)) {
                throw constraint_error(text_, start, "'" + digits + "' is no integer",
                                       "write a whole number, e.g. 16");
            }
            return {Kind::number, digits, start};
        }
        if (is_name(c)) {
            const std::string name = take(is_name);
            static const std::map<std::string, std::string> spelled_out{
                {"and", "&&"}, {"or", "||"}, {"not", "!"}};
            const auto found = spelled_out.find(name);
            return found == spelled_out.end() ? ConstraintToken{Kind::name, name, start}
                                              : ConstraintToken{Kind::symbol, found->second, start};
        }
        if (c == '\'' || c == '"') {
            skip(1);
            const std::string word = take([c](char d) { return d != c; });
            if (at_ == text_.size()) {
                throw constraint_error(text_, start, "the quote is not closed",
                                       fmt::format("put a {} behind it", c));
            }
            skip(1);
            return {Kind::word, word, start};
        }
        for (const std::string_view symbol : symbols) {
            if (std::string_view(text_).substr(at_).starts_with(symbol)) {
                if (symbol == "=") {
                    throw constraint_error(text_, start, "= compares nothing", "write ==");
                }
                skip(symbol.size());
                return {Kind::symbol, std::string(symbol), start};
            }
        }
        skip(1);
        const std::string character = c + take(continues);
        throw constraint_error(text_, start, "'" + character + "' means nothing here",
                               "use + - * / % == != < <= > >= and or not ( )");
    }

    template <class Belongs>
    std::string take(Belongs belongs)
    {
        const std::size_t start = at_;
        while (at_ < text_.size() && belongs(text_[at_])) {
            skip(1);
        }
        return text_.substr(start, at_ - start);
    }

    // Columns count characters, not bytes.
    void skip(std::size_t bytes)
    {
        for (; bytes > 0; --bytes) {
            column_ += continues(text_[at_++]) ? 0U : 1U;
        }
    }

    void skip_spaces()
    {
        (void)take([](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    }

    const std::string& text_;
    std::size_t at_ = 0;
    std::size_t column_ = 1; ///< of at_
};

} // namespace

std::vector<ConstraintToken> constraint_tokens(const std::string& text)
{
    return Tokenizer(text).tokens();
}

Error constraint_error(const std::string& text, std::size_t column, const std::string& what,
                       const std::string& remedy)
{
    return bad_input(what, fmt::format("condition \"{}\", column {}", text, column), remedy);
}

} // namespace texelscope::workbench::space
