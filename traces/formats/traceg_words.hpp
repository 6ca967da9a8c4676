#pragma once

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace texelscope::traces::traceg {

inline constexpr const char* remedy = "is this the output of Accel-Sim's post-traces-processing?";

template <class Number>
bool parse(std::string_view word, Number& value, int base)
{
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc{} && end == word.data() + word.size() && !word.empty();
}

/// The words of a line, one after the other. Throws bad_input where there is none, or no number.
class Words {
public:
    Words(std::string_view line, std::string where) : line_(line), where_(std::move(where)) {}

    std::string_view next(const char* what);
    template <class Number>
    Number number(const char* what, int base = 10)
    {
        std::string_view word = next(what);
        const std::string_view all = word;
        if (base == 16 && word.starts_with("0x")) {
            word.remove_prefix(2);
        }
        Number value{};
        if (!parse(word, value, base)) {
            throw bad_input(fmt::format("the {} is no number: '{}'", what, printable(all)), where_, remedy);
        }
        return value;
    }
    [[nodiscard]] const std::string& where() const { return where_; }

private:
    std::string_view line_;
    std::string where_;
};

/// "1,2,3". Throws bad_input for anything else.
[[nodiscard]] std::array<std::int64_t, 3> triple(std::string_view text, const std::string& where);

/// What follows "= ". Throws bad_input where there is no '='.
[[nodiscard]] std::string_view value_of(std::string_view line, const std::string& where);

} // namespace texelscope::traces::traceg
