#include "base/foreign_json.hpp"
#include "tests/base/random.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace texelscope::base;
using namespace texelscope::test;
using Json = nlohmann::ordered_json;

namespace {

std::string fault_of(const std::string& text, void (*use)(const Json&))
{
    try {
        use(Json::parse(text));
    } catch (const Json::exception& error) {
        return json_fault(error);
    }
    return "";
}

} // namespace

TEST_CASE("what Python writes for numbers that JSON has not becomes null, but not within texts")
{
    CHECK(null_for_nan(R"({"a": NaN, "b": [Infinity,-Infinity], "c": -1})") ==
          R"({"a": null, "b": [null,null], "c": -1})");
    const std::string texts = R"({"NaN": "-Infinity \" NaN", "b": "\\", "c": "Infinity"})";
    CHECK(null_for_nan(texts) == texts);
    CHECK(null_for_nan(R"(["\\", NaN])") == R"(["\\", null])");
    CHECK(null_for_nan("NaN") == "null");
    CHECK(null_for_nan("\"\\") == "\"\\"); // a text that ends within an escape
    CHECK(null_for_nan("").empty());
}

TEST_CASE("random JSON is not changed, and with null put in for NaN it is the same")
{
    Random random(31);
    for (int i = 0; i < 500; ++i) {
        std::string python = "[";
        std::string plain = "[";
        for (int n = random.small(1, 9); n > 0; --n) {
            const auto piece = random.pick<std::pair<std::string, std::string>>(
                {{"NaN", "null"},
                 {"-Infinity", "null"},
                 {"Infinity", "null"},
                 {"\"NaN\"", "\"NaN\""},
                 {R"("a\"Infinity")", R"("a\"Infinity")"},
                 {R"("\\")", R"("\\")"},
                 {"1e-3", "1e-3"},
                 {R"({"-Infinity": NaN})", R"({"-Infinity": null})"}});
            python += piece.first + (n > 1 ? "," : "");
            plain += piece.second + (n > 1 ? "," : "");
        }
        CAPTURE(python);
        CHECK(null_for_nan(python + "]") == plain + "]");
        CHECK(Json::accept(plain + "]"));
    }
}

TEST_CASE("faults of JSON are told in our words")
{
    CHECK(fault_of("{\"a\": }", [](const Json&) {}) == "it is no JSON from byte 7 on");
    CHECK(fault_of("{}", [](const Json& json) { (void)json.at("name"); }) ==
          "the member 'name' is missing");
    CHECK(fault_of("{}", [](const Json& json) { (void)json.at("it's' not found"); }) ==
          "the member 'it's' not found' is missing");
    CHECK(fault_of("[1]", [](const Json& json) { (void)json.at(3); }) ==
          "a list is too short, or a number too large");
    CHECK(fault_of("[1e999]", [](const Json&) {}) == "a list is too short, or a number too large");
    CHECK(fault_of("3", [](const Json& json) { (void)json.get<std::string>(); }) ==
          "a member is of another kind (number, text, list, object) than it should be");
}
