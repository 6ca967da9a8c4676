// Conditions against trees whose value is known when they are made, printed in random spellings.

#include "base/error.hpp"
#include "base/random.hpp"
#include "workbench/space/constraint.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace texelscope::workbench::space;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

const ParameterValues parameters{{"pattern_1", "block2"},     {"pattern_2", "row"},
                                 {"tile_x", std::int64_t{4}}, {"tile_y", std::int64_t{2}},
                                 {"tile_z", std::int64_t{0}}, {"warp_x", std::int64_t{8}},
                                 {"unroll", "kh+kw"},         {"storage", "fp16"}};

bool holds(const std::string& text)
{
    return Constraint(text, parameters).holds(parameters);
}

/// A text with its value; nothing where a division by zero is met on the way.
struct Numeric {
    std::string text;
    /// How loosely its outermost operator binds: 0 a value, 1 a sign, 2 a product, 3 a sum.
    int level = 0;
    std::optional<std::int64_t> value;
};
struct Truth {
    std::string text;
    int level = 0; ///< 0 in brackets, 4 a comparison, 5 not, 6 and, 7 or
    std::optional<bool> value;
};

class RandomText {
public:
    explicit RandomText(std::uint64_t seed) : random_(seed) {}

    Truth truth(int depth)
    {
        const auto kind = depth == 0 ? 0 : pick(8);
        if (kind >= 6) {
            const bool all = kind == 6;
            const int own = all ? 6 : 7;
            const Truth a = truth(depth - 1);
            const Truth b = truth(depth - 1);
            Truth both{bracketed(a, own) + " " + (all ? either("and", "&&") : either("or", "||")) +
                           " " + bracketed(b, own - 1),
                       own,
                       {}};
            // The right side counts only where the left one does not decide.
            if (a.value) {
                both.value = *a.value != all ? a.value : b.value;
            }
            return both;
        }
        if (kind == 5) {
            const Truth a = truth(depth - 1);
            return {either("not ", "!") + spaces() + bracketed(a, 5), 5,
                    a.value ? std::optional(!*a.value) : a.value};
        }
        if (kind == 4) {
            return words();
        }
        return comparison(depth);
    }

private:
    Numeric number(int depth)
    {
        const auto kind = depth == 0 ? pick(2) : pick(8);
        if (kind == 0) {
            const auto value = static_cast<std::int64_t>(pick(12));
            return {std::to_string(value), 0, value};
        }
        if (kind == 1) {
            const std::size_t place = 2 + pick(4);
            return {parameters[place].first, 0, std::get<std::int64_t>(parameters[place].second)};
        }
        if (kind == 2) {
            const Numeric a = number(depth - 1);
            return {"-" + spaces() + bracketed(a, 1), 1,
                    a.value ? std::optional(-*a.value) : a.value};
        }
        const Numeric a = number(depth - 1);
        const Numeric b = number(depth - 1);
        const std::size_t sign = pick(5);
        const int own = sign < 2 ? 3 : 2;
        Numeric made{bracketed(a, own) + spaces() + "+-*/%"[sign] + spaces() +
                         bracketed(b, own - 1),
                     own,
                     {}};
        // at most 16 leaves below 12: 64 bits hold it all
        if (a.value && b.value && (sign < 3 || *b.value != 0)) {
            const std::int64_t x = *a.value;
            const std::int64_t y = *b.value;
            made.value = sign == 0   ? x + y
                         : sign == 1 ? x - y
                         : sign == 2 ? x * y
                         : sign == 3 ? x / y
                                     : x % y;
        }
        return made;
    }

    Truth comparison(int depth)
    {
        // A chain: each side is worked out when its comparison is reached.
        Numeric left = number(depth);
        Truth made{bracketed(left, 3), 4, left.value ? std::optional(true) : std::nullopt};
        const std::size_t links = pick(4) == 0 ? 2 + pick(2) : 1;
        for (std::size_t i = 0; i < links; ++i) {
            const Numeric right = number(depth);
            const std::size_t sign = pick(6);
            made.text += spaces() +
                         std::vector<std::string>{"==", "!=", "<", "<=", ">", ">="}[sign] +
                         spaces() + bracketed(right, 3);
            if (made.value && *made.value) {
                made.value.reset();
                if (left.value && right.value) {
                    const std::int64_t a = *left.value;
                    const std::int64_t b = *right.value;
                    made.value = std::vector<bool>{a == b, a != b, a<b, a <= b, a> b, a >= b}[sign];
                }
            }
            left = right;
        }
        return made;
    }

    Truth words()
    {
        const std::vector<std::string> patterns{"row", "column", "block2", "block4", "block8"};
        const std::size_t place = pick(2);
        std::string left = parameters[place].first;
        std::string value = std::get<std::string>(parameters[place].second);
        const std::string other = pick(3) == 0 ? std::get<std::string>(parameters[1 - place].second)
                                               : patterns[pick(patterns.size())];
        const std::string quote = either("'", "\"");
        std::string right = quote + other + quote;
        if (pick(2) == 0) {
            std::swap(left, right);
        }
        const bool same = pick(2) == 0;
        return {left + spaces() + (same ? "==" : "!=") + spaces() + right, 4,
                (value == other) == same};
    }

    /// In brackets where it binds more loosely than `most` allows, and sometimes where it need not
    /// be.
    template <class Term>
    std::string bracketed(const Term& term, int most)
    {
        const bool needed = term.level > most;
        return needed || pick(6) == 0 ? "(" + spaces() + term.text + spaces() + ")" : term.text;
    }

    std::string spaces()
    {
        return std::string(pick(3) == 0 ? pick(3) : 0, pick(2) == 0 ? ' ' : '\t');
    }
    std::string either(const char* a, const char* b) { return pick(2) == 0 ? a : b; }
    std::size_t pick(std::size_t count)
    {
        return static_cast<std::size_t>(uniform_below(random_, count));
    }

    std::mt19937_64 random_;
};

} // namespace

TEST_CASE("Random conditions have the value of the tree that they were printed from")
{
    int truths = 0;
    int errors = 0;
    constexpr int cases = 20'000;
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        const Truth truth = RandomText(seed).truth(static_cast<int>(seed % 5));
        CAPTURE(seed, truth.text);
        const Constraint constraint(truth.text, parameters);
        if (truth.value) {
            REQUIRE(constraint.holds(parameters) == *truth.value);
            truths += *truth.value ? 1 : 0;
        } else {
            REQUIRE_THROWS_AS(constraint.holds(parameters), Error);
            ++errors;
        }
    }
    // All three outcomes are met often.
    CHECK(truths > cases / 4);
    CHECK(truths < cases * 3 / 4);
    CHECK(errors > cases / 100);
}

TEST_CASE("What binds how, in conditions written by hand")
{
    // tile_x 4, tile_y 2, tile_z 0, warp_x 8
    for (const char* text : {
             "tile_x + tile_y * 3 == 10",
             "(tile_x + tile_y) * 3 == 18",
             "tile_x - tile_y - 1 == 1",
             "warp_x / tile_x / tile_y == 1",
             "warp_x / tile_x * tile_y == 4",
             "7 % 4 * 2 == 6",
             "-7 / 2 == -3",
             "-7 % 2 == -1",
             "-tile_x + 5 == 1",
             "2 - -2 == tile_x",
             "- - tile_x == 4",
             "not tile_x == 5",
             "!tile_x == 5",
             "not not tile_x == 4",
             "not tile_x == 5 and tile_y == 2",
             "tile_x == 4 or tile_x == 4 and tile_y == 9",
             "tile_x == 4 || tile_x == 4 && tile_y == 9",
             "(tile_x == 4 or tile_x == 4) and tile_y == 2",
             "not (tile_x == 4 and tile_y == 9)",
             "1 < tile_y < tile_x <= 4 != 5",
             "not 1 < tile_y < 2",
             "pattern_1 == 'block2' and pattern_2 != \"block2\"",
             "pattern_1 != pattern_2",
             "'row' == pattern_2 != pattern_1",
             "unroll == 'kh+kw' and storage == 'fp16'",
             "tile_z != 0 and 8 / tile_z > 1 or tile_x == 4",
             "tile_z == 0 or 8 % tile_z == 0",
             "1 < 0 < 1 / 0 or tile_x == 4",
             "9223372036854775807 > tile_x*tile_y",
             "\n tile_x==4\t",
         }) {
        CAPTURE(text);
        CHECK(holds(text));
        CHECK_FALSE(holds("not (" + std::string(text) + ")"));
    }
}

TEST_CASE("What is no condition is told in one line, with the column and what to do")
{
    const auto said = [](const std::string& text) -> std::string {
        try {
            (void)holds(text);
        } catch (const Error& error) {
            CHECK(error.kind() == Error::Kind::bad_input);
            return error.what();
        }
        return "nothing";
    };
    CHECK_THAT(said("tile_x == 4 and tile_w > 2"),
               Equals("condition \"tile_x == 4 and tile_w > 2\", column 17: there is no parameter "
                      "'tile_w'; parameters are "
                      "pattern_1, pattern_2, tile_x, tile_y, tile_z, warp_x, unroll, storage"));
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"", "column 1: the condition is empty; write one, e.g. tile_x == 4"},
        {"   ", "column 4: the condition is empty"},
        {"tile_x = 4", "column 8: = compares nothing; write =="},
        {"tile_x == 4 tile_y == 2",
         "column 13: a condition ends before 'tile_y'; join two by and, or"},
        {"tile_x == ", "column 11: a value is missing before the end"},
        {"tile_x == * 4", "column 11: a value is missing before '*'"},
        {"== 4", "column 1: a value is missing before '=='"},
        {"(tile_x == 4", "column 13: the bracket of column 1 is not closed; put a ) here"},
        {"tile_x == 4)", "column 12: a condition ends before ')'"},
        {"tile_x", "column 1: a number is no condition; compare it"},
        {"tile_x == 4 and tile_y", "column 17: a number is no condition"},
        {"not tile_x", "column 5: a number is no condition"},
        {"pattern_1", "column 1: a word is no condition"},
        {"(tile_x == 4) + 1 == 2",
         "column 1: a condition is no number; join conditions by and, or"},
        {"tile_x == (tile_y == 2)", "column 11: a condition is no number"},
        {"pattern_1 == 4", "column 1: a word is no number; compare words with words"},
        {"tile_x == '4'", "column 11: a word is no number"},
        {"pattern_1 + 1 == 2", "column 1: a word is no number"},
        {"-pattern_1 == 2", "column 2: a word is no number"},
        {"pattern_1 < 'row'", "column 11: words have no order; compare them by == or !="},
        {"pattern_1 == 'blok2'",
         "column 14: pattern_1 is never 'blok2'; it is one of 'column', 'row', 'block2'"},
        {"'fp8' != storage", "column 1: storage is never 'fp8'; it is one of 'fp32', 'fp16'"},
        {"pattern_1 == row", "column 14: there is no parameter 'row', it is a word; put it in "
                             "quotes: \"pattern_1 == 'row'\""},
        {"pattern_1 == 'row", "column 14: the quote is not closed; put a ' behind it"},
        {"tile_x == 4.5", "column 11: '4.5' is no integer"},
        {"tile_x == 4x", "column 11: '4x' is no integer"},
        {"tile_x == 9223372036854775808", "column 11: 9223372036854775808 does not fit 64 bits"},
        {"tile_x \xE2\x89\xA4 4 and tile_y @ 2",
         "column 8: '\xE2\x89\xA4' means nothing here; use + - * /"},
        // columns are characters, not bytes
        {"pattern_1 == '\xC3\xA9' # 4", "column 18: '#' means nothing here"},
        {"warp_x / tile_z == 1",
         "column 8: this divides by zero for some configurations; exclude them"},
        {"1 == 1 and warp_x % (tile_x - 4) == 1", "column 19: this divides by zero"},
        {"9223372036854775807 + 1 > 0", "column 21: the result does not fit 64 bits"},
        {"-9223372036854775807 - 2 < 0", "column 22: the result does not fit 64 bits"},
        {"(-9223372036854775807 - 1) / -1 > 0", "column 28: the result does not fit 64 bits"},
        {"-(-9223372036854775807 - 1) > 0", "column 1: the result does not fit 64 bits"},
        {"4611686018427387904 * tile_x > 0", "column 21: the result does not fit 64 bits"},
    };
    for (const auto& [text, line] : wrong) {
        CHECK_THAT(said(text), Contains(line));
    }
    CHECK(holds("(-9223372036854775807 - 1) % -1 == 0"));
}

TEST_CASE("Conditions of any length are read, and those too deep are refused")
{
    std::string sum = "0";
    std::string any = "tile_x == 5";
    for (int i = 0; i < 20'000; ++i) {
        sum += "+1";
        any += " or tile_x == 5";
    }
    CHECK(holds(sum + " == 20000"));
    CHECK_FALSE(holds(any));
    const auto nested = [](const std::string& open, const std::string& close, int times) {
        std::string text;
        for (int i = 0; i < times; ++i) {
            text += open;
        }
        text += "tile_x == 4";
        for (int i = 0; i < times; ++i) {
            text += close;
        }
        return text;
    };
    CHECK(holds(nested("(", ")", 200)));
    for (const char* open : {"(", "-", "not "}) {
        CHECK_THROWS_WITH(holds(nested(open, open[0] == '(' ? ")" : "", 100'000)),
                          Contains("more than 200"));
    }
}
