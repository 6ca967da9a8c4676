#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"
#include "gui/study/start_options.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("the program's arguments are those of the command line")
{
    const StartOptions options = parse_start_options({"texelscope-gui",
                                                      "--op",
                                                      "matmul",
                                                      "--shape",
                                                      "16,32,64",
                                                      "--config",
                                                      "A=row,row;T=4x4;W=8x8;G=8x8x1",
                                                      "--device",
                                                      "adreno-640",
                                                      "--set",
                                                      "l1.ways=4",
                                                      "--set=l2.capacity=0",
                                                      "--registers",
                                                      "estimated",
                                                      "--seed",
                                                      "7",
                                                      "--agent",
                                                      "a/agent",
                                                      "--opencl",
                                                      "libOpenCL-pixel.so",
                                                      "--screenshot",
                                                      "a.png",
                                                      "--no-settings"});
    CHECK(options.form == StudyForm{"matmul",
                                    "16,32,64",
                                    "",
                                    "A=row,row;T=4x4;W=8x8;G=8x8x1",
                                    "adreno-640",
                                    {"l1.ways=4", "l2.capacity=0"},
                                    "7",
                                    true});
    CHECK(options.devices.agent == "a/agent");
    CHECK(options.devices.opencl == "libOpenCL-pixel.so");
    CHECK(options.screenshot == "a.png");
    CHECK_FALSE(options.settings);
}

TEST_CASE("every argument may be left out")
{
    const StartOptions options = parse_start_options({"texelscope-gui"});
    CHECK(options.form == StudyForm{});
    CHECK(options.screenshot.empty());
    CHECK(options.settings);
}

TEST_CASE("a study's file is the form, and options change it")
{
    const test::TemporaryFolder folder;
    StudyForm form{"conv2d", "1,6,6,4,4,3,3,1", "valid", "", "mali-g76", {"l1.ways=4"}, "3", true};
    const std::string file = folder.file("study.xml");
    write_file_atomically(file, to_xml(form));
    const auto parsed = [&](const QStringList& more) {
        return parse_start_options(QStringList{"texelscope-gui", QString::fromStdString(file)} +
                                   more);
    };
    CHECK(parsed({}).form == form);
    CHECK(parsed({}).file == file);
    CHECK(parsed({}).asks_for_study);
    CHECK_FALSE(parse_start_options({"texelscope-gui"}).asks_for_study);
    form.seed = "9";
    CHECK(parsed({"--seed", "9"}).form == form);
    const StudyForm other = parsed({"--op", "softmax"}).form;
    CHECK(other.op == "softmax");
    CHECK(other.shape == "64,256");
    CHECK(other.padding.empty());
    CHECK(other.device == "mali-g76");
}

TEST_CASE("bad arguments are refused")
{
    CHECK_THROWS_AS(parse_start_options({"texelscope-gui", "--bogus"}), Error);
    CHECK_THROWS_AS(parse_start_options({"texelscope-gui", "--shape"}), Error);
    CHECK_THROWS_AS(parse_start_options({"texelscope-gui", "stray"}), Error);
    CHECK_THROWS_AS(parse_start_options({"texelscope-gui", "--shape", "1,2"}), Error);
    CHECK_THROWS_AS(parse_start_options({"texelscope-gui", "--set", "nothing"}), Error);
    CHECK_THROWS_WITH(parse_start_options({"texelscope-gui", "--registers", "guessed"}),
                      Catch::Matchers::Contains("guessed"));
    CHECK(parse_start_options({"texelscope-gui", "--help"}).help);
    CHECK(start_help().contains("--screenshot"));
}
