// Host programs are compiled as strict C99 and run on the Portable Computing Language; where it is
// missing they fail.

#include "base/error.hpp"
#include "codegen/operators/operator.hpp"
#include "tests/cli/program.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace texelscope::codegen;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

/// What follows --op NAME.
struct Case {
    std::string shape;
    std::string padding = {};
    std::string config = {};
};

/// Small sizes that the operator takes: as many of these as its shape has.
std::string small_shape(const std::string& op)
{
    std::string shape = "3";
    for (const int size : {5, 6, 7, 5, 4, 3, 2, 3, 2, 1}) {
        shape += "," + std::to_string(size);
        try {
            (void)parse_operator(op, shape);
            return shape;
        } catch (const Error&) { // not yet as many as it takes
        }
    }
    FAIL("no shape was found for " + op);
    return shape;
}

/// Every operator once, most of them with a configuration of its own.
std::map<std::string, Case> cases()
{
    std::map<std::string, Case> cases;
    for (const std::string& op : operator_names()) {
        cases[op] = {small_shape(op)};
    }
    cases["matmul"] = {"37,53,29", "", "A=block4,column;T=4x4;W=8x8;G=8x8x1"};
    cases["matmul_da"] = {"9,50,10", "", "A=row,block8;T=4x1;G=4x4;R=4;P=fp16"};
    cases["matmul_db"] = {"9,10,50", "", "A=block2,row;T=1x4;G=8x4;M=buffer,image,buffer"};
    cases["conv2d"] = {"2,7,6,5,6,3,2,1", "1",
                       "A=block2,column;T=4x2x1;G=4x4;U=kh,kw;M=image,buffer,image"};
    cases["conv2d_dx"] = {"1,9,8,3,4,3,3,2", "valid",
                          "A=row,row;T=4x2x1;G=8x4;M=buffer,buffer,buffer;P=fp16"};
    cases["dwconv2d"] = {"1,8,7,6,3,3,2", "2", "A=column,block4;T=4x1x2;G=4x4;P=fp16"};
    cases["deconv2d"] = {"1,4,5,6,3,3,2,2", "valid",
                         "A=block4,row;T=2x4x1;G=4x4;R=2;M=image,buffer,buffer"};
    return cases;
}

std::string generated(const std::string& op, const Case& of)
{
    Words arguments{"generate", "--op", op, "--shape", of.shape, "--host", "c"};
    if (!of.padding.empty()) {
        arguments.insert(arguments.end(), {"--padding", of.padding});
    }
    if (!of.config.empty()) {
        arguments.insert(arguments.end(), {"--config", of.config});
    }
    const ProgramResult result = run_program(arguments);
    CAPTURE(arguments, result.errors);
    REQUIRE(result.exit_code == 0);
    return result.output;
}

ProgramResult compiled_and_run(const std::string& text, const Words& arguments = {"pocl"},
                               const std::string& environment = {})
{
    const TemporaryFolder folder;
    const std::string source = folder.write("host.c", text);
    const ProgramResult compiled =
        run_words({TEXELSCOPE_C_COMPILER, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic",
                   source, "-o", folder.file("host"), "-lOpenCL", "-lm"});
    INFO(compiled.errors);
    REQUIRE(compiled.exit_code == 0);
    Words words{folder.file("host")};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_words(words, environment);
}

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

const Case small_matmul{"5,8,6", "", "A=row,column;T=4x1;G=2x5"};

} // namespace

TEST_CASE("The host program of every operator is strict C99 and passes its check")
{
    const int every = random_cases(3, 1); // of the operators
    int number = 0;
    for (const auto& [op, of] : cases()) {
        if (number++ % every != 0) {
            continue;
        }
        CAPTURE(op, of.shape, of.padding, of.config);
        const ProgramResult result = compiled_and_run(generated(op, of));
        INFO(result.output << result.errors);
        CHECK(result.exit_code == 0);
        CHECK_THAT(result.output, Contains("time: median ") && Contains(" us over 9 launches; ") &&
                                      Contains("\ncheck: passed; largest relative error "));
    }
}

TEST_CASE("A host program takes the wall clock where the device's times cannot be, and says so")
{
    // rusticl's event profiling says 1 ns of every launch.
    const ProgramResult result =
        compiled_and_run(generated("matmul", small_matmul), {"rusticl"}, "RUSTICL_ENABLE=llvmpipe");
    INFO(result.output << result.errors);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.output, Contains(" us over 9 launches by the wall clock; ") &&
                                  Contains("\ncheck: passed; "));
}

TEST_CASE("The check of a host program fails where the kernel or what is allowed is wrong")
{
    const std::string right = generated("matmul", small_matmul);
    const std::string product = "c0_0 += a0.x * b0;";
    const std::string wrong =
        GENERATE_COPY(replaced(right, product, "c0_0 -= a0.x * b0;"), // a wrong sum
                                                                      // a texel is left out
                      replaced(right, "    write_imagef(", "    if (tile_x != 1) write_imagef("),
                      // none allowed
                      replaced(right, "relative <= arithmetic->tolerance",
                               "relative <= 1e-9 * arithmetic->tolerance"));
    const ProgramResult result = compiled_and_run(wrong);
    INFO(result.output << result.errors);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.output,
               Contains("\ncheck: FAILED; ") && Contains(" of 40 elements are wrong\n"));
}

TEST_CASE("A host program says in one line what went wrong with OpenCL")
{
    const std::string right = generated("matmul", small_matmul);
    const auto [text, device, line] = GENERATE_REF(table<std::string, std::string, std::string>({
        {generated("matmul", small_matmul), "no such device",
         "error: no OpenCL device fits \"no such device\"; devices are: 0 = "},
        {generated("matmul", small_matmul), "4711", "error: no OpenCL device fits \"4711\""},
        {replaced(generated("matmul", small_matmul), "local_size[] = {2, 5, 1}",
                  "local_size[] = {5, 2, 1}"),
         "pocl", "error: clEnqueueNDRangeKernel: CL_INVALID_WORK_GROUP_SIZE (-54)"},
        {replaced(generated("matmul", small_matmul), "kernel_name[] = \"matmul\"",
                  "kernel_name[] = \"other\""),
         "pocl", "error: clCreateKernel: CL_INVALID_KERNEL_NAME (-46)"},
    }));
    CAPTURE(device, line);
    const ProgramResult result = compiled_and_run(text, {device});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.errors, Catch::Matchers::StartsWith(line));
    CHECK(std::count(result.errors.begin(), result.errors.end(), '\n') == 1);
    CHECK_THAT(result.output, !Contains("check:"));
}

TEST_CASE("A host program whose kernel does not build shows the build log and says so")
{
    const ProgramResult result =
        compiled_and_run(replaced(generated("matmul", small_matmul), "c0_0 += ", "c0_0 =+* "));
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.errors,
               Contains("\nerror: the kernel does not build: CL_BUILD_PROGRAM_FAILURE (-11)\n"));
}

TEST_CASE("The inputs of a host program follow from the seed")
{
    const std::string text = generated("matmul", small_matmul);
    const auto error = [&](const std::string& seed) {
        const std::string output = compiled_and_run(text, {"", seed}).output;
        return output.substr(std::min(output.find("check: "), output.size()));
    };
    CHECK_THAT(error("1"), Contains("passed"));
    CHECK(error("1") == error("1"));
    CHECK(error("1") != error("2"));
    CHECK(compiled_and_run(text, {"", "one"}).exit_code == 2);
}

TEST_CASE("generate refuses hosts in other languages, and other ways to read texels")
{
    const Words arguments{"generate", "--op", "matmul", "--shape", "5,8,6"};
    const auto refused = [&](const Words& more) {
        const ProgramResult result = run_program(arguments + more);
        CHECK(result.exit_code == 2);
        CHECK(result.output.empty());
        return result.errors;
    };
    CHECK_THAT(refused({"--host", "rust"}), Contains("'rust'") && Contains("--host c"));
    CHECK_THAT(refused({"--host", ""}), Contains("--host c"));
    CHECK_THAT(refused({"--host", "c", "--backend", "record"}), Contains("record"));
    CHECK_THAT(refused({"--host", "c", "--backend", "fast"}), Contains("'fast'"));
}
