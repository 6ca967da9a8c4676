// JSON of nothing but brackets.

#include "base/error.hpp"
#include "base/json_nesting.hpp"
#include "experiments/kept_experiment.hpp"
#include "workbench/probes/kept_probes.hpp"
#include "workbench/store/calibration_json.hpp"
#include "workbench/store/json_result.hpp"
#include "workbench/store/result_files.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;

TEST_CASE("the depth of JSON is that of its brackets outside of texts")
{
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    CHECK_NOTHROW(base::check_json_nesting(nested(100), "f"));
    CHECK_THROWS_WITH(base::check_json_nesting(nested(101), "f"),
                      Contains("f: values are nested more than 100 deep"));
    CHECK_NOTHROW(
        base::check_json_nesting("[\"" + nested(1000) + "\\\"" + nested(1000) + "\"]", "f"));
    CHECK_THROWS_AS(base::check_json_nesting("[\"\\\\\"," + nested(100) + "]", "f"), Error);
    std::string row;
    for (int i = 0; i < 1000; ++i) {
        row += "[{}],";
    }
    CHECK_NOTHROW(base::check_json_nesting(row, "f"));
}

TEST_CASE("a file of nothing but brackets is refused, and takes no stack")
{
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    const auto refused = Contains("f: values are nested more than 100 deep");
    CHECK_THROWS_WITH(
        parse_result_file(
            R"({"schema_version": "1.0.0", "metadata": {}, "results": [{"timestamp": "x",
                                           "configuration": {"a": )" +
                deep + R"(}, "times": {}}]})",
            "f"),
        refused);
    CHECK_THROWS_WITH(parse_probe_record(R"({"settings": )" + deep + R"(, "record": {}})", "f"),
                      refused);
    CHECK_THROWS_WITH(parse_experiment_file(R"({"experiment": )" + deep + "}", "f"), refused);
    CHECK_THROWS_WITH(parse_calibration(R"({"schema": )" + deep + "}", "f"), refused);
    CHECK_THROWS_WITH(parse_json_result(R"({"schema": )" + deep + "}", "f"), refused);
}
