#include "base/text.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>

using namespace texelscope::base;

namespace {

/// The definition, without a table.
std::size_t by_definition(const std::string& a, const std::string& b)
{
    if (a.empty() || b.empty()) {
        return a.size() + b.size();
    }
    const std::string short_a = a.substr(1);
    const std::string short_b = b.substr(1);
    if (a.front() == b.front()) {
        return by_definition(short_a, short_b);
    }
    return 1 + std::min({by_definition(short_a, b), by_definition(a, short_b),
                         by_definition(short_a, short_b)});
}

} // namespace

TEST_CASE("the edit distance is that of its definition")
{
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("l1.capasity", "l1.capacity") == 1);
    CHECK(edit_distance("abc", "") == 3);
    constexpr unsigned seed = 7;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto word = [&] {
        std::string text(random() % 7, 'a');
        std::generate(text.begin(), text.end(),
                      [&] { return static_cast<char>('a' + random() % 3); });
        return text;
    };
    for (int i = 0; i < 300; ++i) {
        const std::string a = word();
        const std::string b = word();
        CAPTURE(a, b);
        REQUIRE(edit_distance(a, b) == by_definition(a, b));
    }
}
