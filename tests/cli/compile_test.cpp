// texelscope compile, without the compilers: what it refuses, and how.

#include "tests/base/temporary_folder.hpp"
#include "tests/cli/program.hpp"
#include "tests/devices/kept_compilation.hpp"

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
    CHECK_THAT(unknown.errors,
               Contains("adreno-99") && Contains("adreno-740") && Contains("mali-g610"));
    of.back() = "mali-g610";
    const ProgramResult missing = run_program(of);
    CHECK(missing.exit_code == 3);
    CHECK_THAT(missing.errors, Contains(folder.file("none")) && Contains("compile --setup"));
}

TEST_CASE("compile needs a kernel that can be read")
{
    const TemporaryFolder folder;
    const ProgramResult none =
        run_program({"compile", folder.file("none.cl"), "--folder", folder.file("none")});
    CHECK(none.exit_code == 2);
    CHECK_THAT(none.errors, Contains("none.cl"));
    const ProgramResult both = run_program({"compile", folder.file("none.cl"), "--op", "matmul"});
    CHECK(both.exit_code == 2);
    CHECK_THAT(both.errors, Contains("--op does not apply to"));
}

TEST_CASE("results say where registers come from, and --registers compiled needs a compiler")
{
    const TemporaryFolder folder;
    const Words predict{"predict",
                        "--op",
                        "matmul",
                        "--shape",
                        "256,256,256",
                        "--config",
                        "A=row,block4;T=4x4;W=4x16;G=4x16x1",
                        "--device",
                        "adreno-740"};
    const ProgramResult estimated = run_program(predict + Words{"--json"});
    CHECK_THAT(estimated.output, Contains("\"registers\": \"estimated\""));
    const std::string cache = "XDG_CACHE_HOME=" + folder.file("cache");
    const Words compiled = predict + Words{"--registers", "compiled"};
    const ProgramResult missing = run_program(compiled, cache);
    CHECK(missing.exit_code == 3);
    CHECK_THAT(missing.errors, Contains("compile --setup"));
    CHECK(run_program(predict + Words{"--registers", "guessed"}).exit_code == 2);

    const ProgramResult text = run_program({"generate", "--op", "matmul", "--shape", "256,256,256",
                                            "--config", "A=row,block4;T=4x4;W=4x16;G=4x16x1"});
    keep_compilation(folder.file("cache/texelscope/compilers"), text.output,
                     printed_by_compiler("matmul-adreno-740"));
    const ProgramResult told = run_program(compiled + Words{"--json"}, cache);
    INFO(told.errors);
    CHECK(told.exit_code == 0);
    CHECK_THAT(told.output, Contains("\"registers\": \"compiled by Mesa for adreno-740\"") &&
                                Contains("\"occupancy\": 12"));
}
