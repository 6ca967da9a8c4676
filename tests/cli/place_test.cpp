// `devices --on`, and --agent and --opencl wherever there is an --on.

#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace texelscope::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("devices --on lists a place's devices with limits, formats and extensions", "[opencl]")
{
    const json place = json_of({"devices", "--on", "agent:"});
    const json here = json_of({"devices"});
    CHECK(place["schema"] == "texelscope.place/1");
    CHECK(place["on"] == "agent:");
    CHECK(place["library"] == "libOpenCL.so");
    CHECK(place["now"].contains("clock_hz"));
    REQUIRE(place["devices"].size() == here["opencl"].size());
    for (std::size_t i = 0; i < place["devices"].size(); ++i) {
        for (const auto& [key, value] : here["opencl"][i].items()) {
            CAPTURE(key);
            // PoCL's largest image goes by the memory that is free just then.
            CHECK((key == "texel_reads" || key == "image_width" || key == "image_height" ||
                   place["devices"][i][key] == value));
        }
    }
    const json pocl = json_of({"devices", "--on", "pocl"})["devices"];
    REQUIRE(pocl.size() == 1);
    CHECK(pocl[0]["local_memory"] > 0);
    CHECK(pocl[0]["max_work_item_sizes"].size() == 3);
    const auto formats = pocl[0]["formats"].get<std::vector<std::string>>();
    CHECK(std::count(formats.begin(), formats.end(), "CL_RGBA CL_FLOAT") == 1);

    const ProgramResult text = run_program({"devices", "--on", "agent:pocl"});
    CHECK(text.exit_code == 0);
    CHECK_THAT(text.output, Contains("agent:pocl: OpenCL library libOpenCL.so\nnow: clock ") &&
                                Contains("largest image") && Contains("CL_RGBA: ") &&
                                Contains("cl_khr_byte_addressable_store"));
}

TEST_CASE("every subcommand with --on brings --opencl to what opens the device", "[opencl]")
{
    const Words kernel{"--op", "matmul", "--shape", "8,8,8"};
    const Words on{"--on", "pocl", "--opencl", "/nowhere/libOpenCL.so"};
    const std::string said = "no OpenCL library could be loaded (not there: /nowhere/libOpenCL.so)";
    for (const Words& command : std::vector<Words>{
             {"devices"},
             Words{"run"} + kernel,
             Words{"tune", "--strategy", "random", "--budget", "1"} + kernel,
             Words{"crosscheck", "--device", "pocl-cpu"} + kernel,
             {"sweep", "/dev/null/store", "--op", "matmul 8,8,8", "--device", "pocl-cpu"},
             {"probe"},
             {"calibrate"},
             {"identify"},
             {"phone", "-o", "/tmp"},
             {"network", "run", "mlp-784-256-128-16"},
             {"network", "crosscheck", "mlp-784-256-128-16"},
             {"network", "compare", "mlp-784-256-128-16"}}) {
        CAPTURE(command);
        refused(command + on, said, 3);
        refused(command + Words{"--on", "pocl", "--agent", "/nowhere/agent"},
                "/nowhere/agent: there is no such file", 3);
    }
}

TEST_CASE("An --agent or --opencl is refused where no real device is opened")
{
    const Words kernel{"--op", "matmul", "--shape", "8,8,8"};
    for (const Words& command : std::vector<Words>{{"devices"},
                                                   Words{"tune", "--strategy", "random"} + kernel,
                                                   Words{"crosscheck", "--on", "none"} + kernel,
                                                   {"probe", "--on", "sim:adreno-640"},
                                                   {"calibrate", "--on", "sim:adreno-640"},
                                                   {"identify", "--on", "sim:adreno-640"},
                                                   {"phone", "sim:adreno-640", "-o", "/tmp"},
                                                   {"experiment", "list"},
                                                   {"network", "crosscheck", "mlp-784-256-128-16"},
                                                   {"network", "compare", "mlp-784-256-128-16"}}) {
        CAPTURE(command);
        refused(command + Words{"--agent", "a"}, "--agent does not apply");
        refused(command + Words{"--opencl", "o"}, "--opencl does not apply");
    }
}
