// What a launch executed, in the description of a native trace.

#include "traces/native/launch_description.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace texelscope::traces;

TEST_CASE(
    "a launch's description keeps what it executed, and says nothing where it was not counted")
{
    TracedLaunch launch;
    launch.kernel = "k";
    CHECK(to_json(launch).find("executed") == std::string::npos);
    CHECK(parse_launch(to_json(launch)) == launch);
    launch.executed = ExecutedOperations{1, 2, 3, 4, 5};
    CHECK(parse_launch(to_json(launch)) == launch);
    launch.executed->specials = -1;
    CHECK_THROWS_AS(parse_launch(to_json(launch)), std::out_of_range);
    launch.executed->specials = std::int64_t{1} << 61;
    CHECK_THROWS_AS(parse_launch(to_json(launch)), std::out_of_range);
    CHECK_THROWS_AS(
        parse_launch(R"({"kernel":"k","global":[1,1,1],"local":[1,1,1],"offset":[0,0,0],)"
                     R"("images":[],"buffers":[],"executed":{"floats":1}})"),
        std::out_of_range);
}
