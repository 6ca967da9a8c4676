// texelscope compile, without the compilers: what it refuses, and how.

#include "tests/base/temporary_folder.hpp"
#include "tests/cli/program.hpp"
#include "tests/devices/kept_compilation.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

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

TEST_CASE("compile takes a file with several kernels, options and includes, and a kernel of it")
{
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.file("inc"));
    std::ofstream(folder.file("inc/part.h")) << "#define OUT global float *\n";
    const std::string file = folder.file("two.cl");
    std::ofstream(file)
        << "#include \"part.h\"\n"
           "kernel void a(OUT o) { o[0] = N; }\nkernel void c(OUT o) { o[1] = N; }\n";
    keep_compilation(folder.file("compilers"),
                     fmt::format("#line 1 \"{0}\"\n#line 1 \"{1}\"\n#define OUT global float *\n"
                                 "#line 2 \"{0}\"\nkernel void a(OUT o) {{ o[0] = N; }}\n"
                                 "kernel void c(OUT o) {{ o[1] = N; }}\n",
                                 file, folder.file("inc/part.h")),
                     printed_by_compiler("two-adreno-740"),
                     "-cl-mad-enable -DN=4 -cl-std=CL1.2 -w");
    const Words whole{"compile",   file,
                      "--folder",  folder.file("compilers"),
                      "--options", "-cl-mad-enable -I " + folder.file("inc"),
                      "--define",  "N=4"};
    const ProgramResult table = run_program(whole);
    INFO(table.errors);
    CHECK(table.exit_code == 0);
    CHECK_THAT(table.output, Contains("registers  warps") && Contains("\na ") && Contains("\nc "));
    const ProgramResult json = run_program(whole + Words{"--json"});
    CHECK_THAT(json.output, Contains("\"kernels\": [") && Contains("\"kernel\": \"c\""));
    const ProgramResult one = run_program(whole + Words{"--kernel", "c"});
    CHECK(one.exit_code == 0);
    CHECK_THAT(one.output, StartsWith("c: adreno-740") && !Contains("\na "));
    const ProgramResult none = run_program(whole + Words{"--kernel", "b"});
    CHECK(none.exit_code == 2);
    CHECK_THAT(none.errors, Contains("no kernel 'b'") && Contains("it has a, c"));
    CHECK_THAT(
        run_program({"compile", "--op", "matmul", "--shape", "8,8,8", "--kernel", "a"}).errors,
        Contains("--kernel does not apply without a file"));
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
