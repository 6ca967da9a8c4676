// The corpora of the fuzzers through the fuzzers' own functions, in every test run.

#include "tests/fuzz/entries.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace texelscope;

namespace {

/// Seeds that are good input are in files whose names start with "good".
void replay(const std::string& name, bool (*entry)(std::string_view))
{
    int good = 0;
    int refused = 0;
    for (const auto& file : std::filesystem::directory_iterator(std::string(TEXELSCOPE_CORPUS "/") + name)) {
        std::ifstream in(file.path(), std::ios::binary);
        const std::string input{std::istreambuf_iterator<char>(in), {}};
        INFO(file.path());
        bool accepted = false;
        REQUIRE_NOTHROW(accepted = entry(input));
        CHECK(accepted == file.path().filename().string().starts_with("good"));
        ++(accepted ? good : refused);
    }
    CHECK(good >= 3);
    CHECK(refused >= 3);
}

} // namespace

TEST_CASE("the layout corpus replays")
{
    replay("layout", fuzz::layout);
}

TEST_CASE("the trace corpus replays")
{
    replay("csv", fuzz::csv);
}

TEST_CASE("the profile corpus replays")
{
    replay("profile", fuzz::profile);
}

TEST_CASE("the native trace corpus replays")
{
    replay("native", fuzz::native);
}

TEST_CASE("the DineroIV text corpus replays")
{
    replay("din", fuzz::din);
}

TEST_CASE("the DineroIV binary corpus replays")
{
    replay("din_binary", fuzz::din_binary);
}

TEST_CASE("the oracleGeneral corpus replays")
{
    replay("oracle_general", fuzz::oracle_general);
}

TEST_CASE("the Accel-Sim corpus replays")
{
    replay("traceg", fuzz::traceg);
}

TEST_CASE("the ONNX corpus replays")
{
    replay("onnx", fuzz::onnx);
}
