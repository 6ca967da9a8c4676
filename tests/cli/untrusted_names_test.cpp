// Names that files from elsewhere bring, as they are printed.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::test;
using Catch::Matchers::Contains;

TEST_CASE("names of files give a terminal no commands")
{
    const TemporaryFolder folder;
    const std::string trace = folder.write("t.csv", "#image A\x1b[2J:4x4x16\ngroup,item,step,image,x,y\n"
                                                    "0,0,0,A\x1b[2J,1,1\n");
    const std::string profile =
        folder.write("d.xml", "<device name=\"a&#27;]0;b&#7;\"><description>c&#x9b;31md</description></device>");
    for (const Words& words :
         {Words{"trace", "info", trace}, Words{"trace", "head", trace}, Words{"simulate", trace},
          Words{"devices", profile}, Words{"trace", "info", trace, "--launch", "5"},
          Words{"simulate", trace, "--heatmap", folder.file("map.csv"), "--heatmap-image", "\x1b[2J"}}) {
        const ProgramResult result = run_program(words);
        CAPTURE(words, result.output, result.errors);
        for (const std::string& shown : {result.output, result.errors}) {
            CHECK_THAT(shown, !Contains("\x1b") && !Contains("\x07") && !Contains("\u009b"));
        }
    }
    CHECK_THAT(run_program({"trace", "info", trace}).output, Contains("A\uFFFD[2J"));
    CHECK_THAT(run_program({"devices", profile}).output, Contains("c\uFFFD31md"));
    CHECK(json_of({"trace", "info", trace})["launches"][0]["images"][0]["id"] == "A\x1b[2J"); // escaped, as JSON has it
}

TEST_CASE("a name that is no UTF-8 is in the JSON with a replacement")
{
    const TemporaryFolder folder;
    const std::string trace =
        folder.write("t.csv", "#image A\xff:4x4x16\ngroup,item,step,image,x,y\n0,0,0,A\xff,1,1\n");
    CHECK(json_of({"trace", "info", trace})["launches"][0]["images"][0]["id"] == "A\uFFFD");
}
