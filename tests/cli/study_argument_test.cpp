// --study FILE.

#include "base/atomic_file.hpp"
#include "tests/cli/program.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::base;
using namespace texelscope::test;
using Catch::Matchers::Contains;

TEST_CASE("A study's file stands for the options in it, and options that are given win")
{
    const TemporaryFolder folder;
    const std::string file = folder.file("study.xml");
    write_file_atomically(
        file, "<study><operator name='conv2d' shape='1,9,9,8,8,3,3,1' padding='valid'/>"
              "<configuration>A=row,block4;T=1x1;W=4x4;G=4x4x1</configuration>"
              "<device name='mali-g77'/><set key='l1.capacity'>8192</set><seed>5</seed></study>");
    const auto output = [](const Words& words) {
        const ProgramResult result = run_program(words);
        CAPTURE(result.errors);
        REQUIRE(result.exit_code == 0);
        return result.output;
    };
    const Words spelled{"simulate",
                        "--op",
                        "conv2d",
                        "--shape",
                        "1,9,9,8,8,3,3,1",
                        "--padding",
                        "valid",
                        "--config",
                        "A=row,block4;T=1x1;W=4x4;G=4x4x1",
                        "--device",
                        "mali-g77",
                        "--seed",
                        "5",
                        "--json"};
    CHECK(output({"simulate", "--study", file, "--json"}) ==
          output(spelled + Words{"--set", "l1.capacity=8192"}));
    CHECK(output({"simulate", "--study=" + file, "--json", "--set", "l1.capacity=4096"}) ==
          output(spelled + Words{"--set", "l1.capacity=4096"}));
    CHECK(output({"generate", "--study", file}) ==
          output({"generate", "--op", "conv2d", "--shape", "1,9,9,8,8,3,3,1", "--padding", "valid",
                  "--config", "A=row,block4;T=1x1;W=4x4;G=4x4x1"}));
    // Another operator has another configuration, another device other overrides.
    CHECK(output({"predict", "--op", "matmul", "--shape", "32,32,32", "--study", file, "--device",
                  "adreno-640", "--json"}) ==
          output({"predict", "--op", "matmul", "--shape", "32,32,32", "--device", "adreno-640",
                  "--seed", "5", "--json"}));

    // Compiled registers need a compiler, of which there is none for that device; the option stands
    // before the study.
    write_file_atomically(
        folder.file("compiled.xml"),
        "<study><operator name='matmul' shape='16,16,16'/><device name='nvidia-h100'/>"
        "<registers>compiled</registers></study>");
    const ProgramResult compiled = run_program({"predict", "--study", folder.file("compiled.xml")});
    CHECK(compiled.exit_code == 2);
    CHECK_THAT(compiled.errors, Contains("no compiler for 'nvidia-h100'"));
    CHECK_THAT(
        output({"predict", "--study", folder.file("compiled.xml"), "--registers", "estimated"}),
        Contains("registers estimated"));
    // which asks for no registers
    CHECK(!output({"generate", "--study", folder.file("compiled.xml")}).empty());

    const ProgramResult none = run_program({"simulate", "--study", folder.file("none.xml")});
    CHECK(none.exit_code == 2);
    CHECK_THAT(none.errors, Contains("none.xml") && Contains("cannot be read"));
    const ProgramResult useless = run_program({"devices", "--study", file});
    CHECK(useless.exit_code == 2);
    CHECK_THAT(useless.errors, Contains("--study does not apply"));
}
