// texelscope compile, without the compilers: what it refuses, and how.

#include "tests/cli/program.hpp"
#include "tests/traces/temporary_folder.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::test;
using Catch::Matchers::Contains;

TEST_CASE("compile says which GPUs it knows, and how to get their compilers")
{
    const TemporaryFolder folder;
    const std::vector<std::string> matmul{"compile",  "--op",     "matmul",           "--shape",
                                          "64,64,64", "--folder", folder.file("none")};
    auto of = matmul;
    of.insert(of.end(), {"--gpu", "adreno-99"});
    const ProgramResult unknown = run_program(of);
    CHECK(unknown.exit_code == 2);
    CHECK_THAT(unknown.errors, Contains("adreno-99") && Contains("adreno-740") && Contains("mali-g610"));
    of.back() = "mali-g610";
    const ProgramResult missing = run_program(of);
    CHECK(missing.exit_code == 3);
    CHECK_THAT(missing.errors, Contains(folder.file("none")) && Contains("compile --setup"));
}

TEST_CASE("compile needs a kernel that can be read")
{
    const TemporaryFolder folder;
    const ProgramResult none = run_program({"compile", folder.file("none.cl"), "--folder", folder.file("none")});
    CHECK(none.exit_code == 2);
    CHECK_THAT(none.errors, Contains("none.cl"));
    const ProgramResult both = run_program({"compile", folder.file("none.cl"), "--op", "matmul"});
    CHECK(both.exit_code == 2);
    CHECK_THAT(both.errors, Contains("--op does not apply to"));
}
