// What is said where a trace and its launch do not fit together, and by which words the command
// line helps on.

#include "tests/cli/program.hpp"
#include "tests/traces/random_trace.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

/// Work-item 40 of a group of 4 reads texels (2, 1) and, outside, (9, 1).
std::string strange_trace(const TemporaryFolder& folder)
{
    Recording made;
    made.launch.kernel = "k";
    made.launch.local = {4, 1, 1};
    made.launch.global = {8, 1, 1};
    made.launch.images.resize(1);
    made.launch.images[0].name = "A";
    made.launch.images[0].width = made.launch.images[0].height = 4;
    const auto kind = texelscope::traces::AccessKind::image_read;
    made.groups.push_back({1, {{0, {{kind, 0, 0, 0}}}, {40, {{kind, 0, 2, 1}, {kind, 0, 9, 1}}}}});
    const std::string path = folder.file("t.tst");
    write_recordings(path, {made});
    return path;
}

} // namespace

TEST_CASE("traceg holds work-items that are beyond the local size, and says so")
{
    const TemporaryFolder folder;
    const std::string trace = strange_trace(folder);
    const std::string traceg = folder.file("t.traceg");
    const ProgramResult exported = run_program({"trace", "export", trace, "-o", traceg});
    REQUIRE(exported.exit_code == 0);
    CHECK_THAT(exported.errors, Contains("work-item 40") && Contains("2 reads written"));
    CHECK_THAT(read_file(traceg), Contains("-block dim = (41,1,1)"));
    const ProgramResult back = run_program({"trace", "import", traceg, "--image", "A:4x4x16"});
    CHECK_THAT(back.output, Contains("\n1,0,0,A,0,0\n") && Contains("\n1,40,0,A,2,1\n"));
}

TEST_CASE("simulate names --address only where it is taken")
{
    const TemporaryFolder folder;
    const std::string trace = strange_trace(folder);
    const ProgramResult native = run_program({"simulate", trace});
    CHECK_THAT(native.errors, Contains("1 reads lie outside") && !Contains("--address"));
    const std::string csv = folder.file("t.csv");
    REQUIRE(run_program({"trace", "export", trace, "-o", csv}).exit_code == 0);
    CHECK_THAT(run_program({"simulate", csv}).errors, Contains("--address edge"));
}

TEST_CASE("a usage error names the help of the subcommand that it is about")
{
    CHECK_THAT(run_program({"trace", "info", "--nothing"}).errors,
               Contains("see texelscope trace info --help"));
    CHECK_THAT(run_program({"simulate", "--nothing"}).errors,
               Contains("see texelscope simulate --help"));
}
