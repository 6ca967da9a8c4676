#include "gui/launch_options.hpp"
#include "traces/error.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;

TEST_CASE("the program's arguments are those of the command line")
{
    const LaunchOptions options =
        parse_launch_options({"texelscope-gui", "--op", "matmul", "--shape", "16,32,64", "--config",
                              "A=row,row;T=4x4;W=8x8;G=8x8x1", "--device", "adreno-640", "--set", "l1.ways=4",
                              "--set=l2.capacity=0", "--seed", "7", "--screenshot", "a.png", "--no-settings"});
    CHECK(options.form == StudyForm{"matmul",
                                    "16,32,64",
                                    "A=row,row;T=4x4;W=8x8;G=8x8x1",
                                    "adreno-640",
                                    {"l1.ways=4", "l2.capacity=0"},
                                    "7",
                                    true});
    CHECK(options.screenshot == "a.png");
    CHECK_FALSE(options.settings);
}

TEST_CASE("every argument may be left out")
{
    const LaunchOptions options = parse_launch_options({"texelscope-gui"});
    CHECK(options.form == StudyForm{});
    CHECK(options.screenshot.empty());
    CHECK(options.settings);
}

TEST_CASE("bad arguments are refused")
{
    CHECK_THROWS_AS(parse_launch_options({"texelscope-gui", "--bogus"}), Error);
    CHECK_THROWS_AS(parse_launch_options({"texelscope-gui", "--shape"}), Error);
    CHECK_THROWS_AS(parse_launch_options({"texelscope-gui", "stray"}), Error);
    CHECK_THROWS_AS(parse_launch_options({"texelscope-gui", "--shape", "1,2"}), Error);
    CHECK_THROWS_AS(parse_launch_options({"texelscope-gui", "--set", "nothing"}), Error);
    CHECK(parse_launch_options({"texelscope-gui", "--help"}).help);
    CHECK(launch_help().contains("--screenshot"));
}
