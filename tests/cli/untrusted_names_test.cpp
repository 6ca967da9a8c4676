// Names that files from elsewhere bring, as they are printed.

#include "tests/cli/checked_program.hpp"
#include "traces/native/trace_writer.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

/// A native trace of one read of an image of that name: any name can be in one.
void write_trace(const std::string& path, const std::string& image)
{
    texelscope::traces::TraceWriter writer(path, "program");
    texelscope::traces::TracedLaunch launch;
    launch.images.resize(1);
    launch.images[0].name = image;
    launch.images[0].width = launch.images[0].height = 4;
    writer.begin_launch(launch);
    writer.add_group(0, std::vector<texelscope::traces::TracedItem>{
                            {0, {{texelscope::traces::AccessKind::image_read, 0, 1, 1}}}});
    writer.end_launch();
    writer.finish();
}

} // namespace

TEST_CASE("names of files give a terminal no commands")
{
    const TemporaryFolder folder;
    const std::string trace = folder.file("t.tst");
    write_trace(trace, "A\x1b[2J");
    const std::string csv =
        folder.write("t.csv", "#image A\x1b[2J:4x4x16\ngroup,item,step,image,x,y\n"
                              "0,0,0,A\x1b[2J,1,1\n");
    const std::string profile = folder.write(
        "d.xml", "<device name=\"a&#27;]0;b&#7;\"><description>c&#x9b;31md</description></device>");
    for (const Words& words :
         {Words{"trace", "info", trace}, Words{"trace", "head", trace}, Words{"simulate", trace},
          Words{"trace", "info", csv}, Words{"devices", profile},
          Words{"trace", "info", trace, "--launch", "5"},
          Words{"simulate", trace, "--heatmap", folder.file("map.csv"), "--heatmap-image",
                "\x1b[2J"}}) {
        const ProgramResult result = run_program(words);
        CAPTURE(words, result.output, result.errors);
        for (const std::string& shown : {result.output, result.errors}) {
            CHECK_THAT(shown, !Contains("\x1b") && !Contains("\x07") && !Contains("\u009b"));
        }
    }
    CHECK_THAT(run_program({"trace", "info", trace}).output, Contains("A\uFFFD[2J"));
    CHECK_THAT(run_program({"trace", "info", csv}).errors, Contains("A\uFFFD[2J"));
    CHECK_THAT(run_program({"devices", profile}).output, Contains("c\uFFFD31md"));
    // escaped, as JSON has it
    CHECK(json_of({"trace", "info", trace})["launches"][0]["images"][0]["id"] == "A\x1b[2J");
}

TEST_CASE("a name that is no UTF-8 is in the JSON with a replacement")
{
    const TemporaryFolder folder;
    const std::string trace =
        folder.write("t.csv", "#image A\xff:4x4x16\ngroup,item,step,image,x,y\n0,0,0,A\xff,1,1\n");
    CHECK(json_of({"trace", "info", trace})["launches"][0]["images"][0]["id"] == "A\uFFFD");
}
