// Tables of comma-separated values, read back.

#include "base/csv.hpp"
#include "tests/base/random.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::base;
using Rows = std::vector<std::vector<std::string>>;

TEST_CASE("CSV: worked examples of RFC 4180")
{
    CHECK(parse_csv("", "t").empty());
    CHECK(parse_csv("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", "t") ==
          Rows{{"aaa", "bbb", "ccc"}, {"zzz", "yyy", "xxx"}});
    CHECK(parse_csv("aaa,bbb,ccc\nzzz,yyy,xxx", "t") ==
          Rows{{"aaa", "bbb", "ccc"}, {"zzz", "yyy", "xxx"}});
    CHECK(parse_csv("\"aaa\",\"b\r\nbb\",ccc\nzzz,,", "t") ==
          Rows{{"aaa", "b\r\nbb", "ccc"}, {"zzz", "", ""}});
    CHECK(parse_csv("\"a\"\"b\",\"\"\n\n", "t") == Rows{{"a\"b", ""}, {""}});
}

TEST_CASE("CSV: what is written is read back, whatever the fields hold")
{
    test::Random random(5);
    for (int i = 0; i < 300; ++i) {
        Rows rows(static_cast<std::size_t>(random.between(1, 5)));
        std::string text;
        for (auto& row : rows) {
            for (std::int64_t n = random.between(1, 4); n > 0; --n) {
                std::string field;
                for (std::int64_t c = random.between(0, 6); c > 0; --c) {
                    field += random.pick<char>({'a', ',', '"', '\n', '\r', ' ', 'z'});
                }
                text += csv_field(field) + (n > 1 ? "," : "\n");
                row.push_back(std::move(field));
            }
        }
        CAPTURE(text);
        CHECK(parse_csv(text, "t") == rows);
    }
}

TEST_CASE("CSV: what is wrong is said with its line")
{
    CHECK_THROWS_WITH(parse_csv("a,b\n\"c,d\ne,f\n", "some.csv"),
                      Catch::Contains("some.csv, line 2") && Catch::Contains("not closed"));
    CHECK_THROWS_WITH(parse_csv("a,b\nc,d\"e\n", "some.csv"),
                      Catch::Contains("some.csv, line 2") && Catch::Contains("within a field"));
    CHECK_THROWS_WITH(parse_csv("\"a\nb\"c\n", "some.csv"),
                      Catch::Contains("some.csv, line 2") && Catch::Contains("after a quoted"));
}
