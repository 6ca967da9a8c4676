#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace texelscope::test {

nlohmann::json json_of(const Words& arguments, int exit_code)
{
    const ProgramResult result = run_program(arguments + Words{"--json"});
    CAPTURE(arguments, result.errors, result.output);
    REQUIRE(result.exit_code == exit_code);
    nlohmann::json value = nlohmann::json::parse(result.output);
    CHECK(value.at("schema").get<std::string>().starts_with("texelscope."));
    CHECK(value.contains("texelscope"));
    return value;
}

void refused(const Words& arguments, const std::string& what, int exit_code,
             const std::string& environment)
{
    const ProgramResult result = run_program(arguments, environment);
    CAPTURE(arguments, result.output);
    CHECK(result.exit_code == exit_code);
    CHECK_THAT(result.errors, Catch::Matchers::Contains(what));
    CHECK(result.errors.starts_with("texelscope: "));
    CHECK(std::count(result.errors.begin(), result.errors.end(), '\n') == 1);
    CHECK(result.output.empty());
}

} // namespace texelscope::test
