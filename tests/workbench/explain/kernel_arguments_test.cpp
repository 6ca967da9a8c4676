#include "base/error.hpp"
#include "base/half.hpp"
#include "workbench/explain/kernel_arguments.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

using namespace texelscope::workbench::explain;
using Catch::Matchers::Contains;
using texelscope::base::Error;

namespace {

template <class Number>
std::vector<Number> numbers_in(const std::string& bytes)
{
    std::vector<Number> out(bytes.size() / sizeof(Number));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(Number));
    return out;
}

std::string argument_error(const std::string& text)
{
    try {
        (void)parse_kernel_argument(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

KernelSignature blur_signature()
{
    return {"blur",
            {0, 0, 0},
            0,
            {{"in", "image2d_t", "global", "read_only"},
             {"weights", "float4*", "constant", "none"},
             {"n", "int", "private", "none"},
             {"place", "Place", "private", "none"},
             {"tile", "float*", "local", "none"},
             {"how", "sampler_t", "private", "none"},
             {"layers", "image2d_array_t", "global", "write_only"}}};
}

const std::vector<std::string> blur_arguments{
    "in=image:256x64:rgba32f", "weights=buffer:9:float4", "n=int:9",
    "place=bytes:12",          "tile=local:256",          "how=sampler:edge",
    "layers=image:8x4x2:r8"};

std::vector<KernelArgument> parsed_arguments(const std::vector<std::string>& texts)
{
    std::vector<KernelArgument> out;
    for (const std::string& text : texts) {
        out.push_back(parse_kernel_argument(text));
    }
    return out;
}

std::string matching_error(const std::vector<std::string>& texts)
{
    try {
        (void)matched(blur_signature(), parsed_arguments(texts));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("arguments of a kernel print and parse back, with what was left out")
{
    const std::pair<const char*, const char*> cases[] = {
        {"A=image:256x64:rgba32f", "A=image:256x64:rgba32f:random"},
        {"A=image:7:r8", "A=image:7:r8:zero"},
        {"A=image:4x4x4:rg16i:iota", "A=image:4x4x4:rg16i:iota"},
        {"A=image:4x4:bgra8:random", "A=image:4x4:bgra8:random"},
        {"b=buffer:1024", "b=buffer:1024:zero"},
        {"b=buffer:1024:random", "b=buffer:1024:random"},
        {"b=buffer:256:float", "b=buffer:256:float:random"},
        {"b=buffer:256:int3", "b=buffer:256:int3:zero"},
        {"b=buffer:256:half8:iota", "b=buffer:256:half8:iota"},
        {"n=int:-5", "n=int:-5"},
        {"v=float4:1,2.5,-3,4e2", "v=float4:1,2.5,-3,4e2"},
        {"v=uchar16:7", "v=uchar16:7"},
        {"s=bytes:12:iota", "s=bytes:12:iota"},
        {"l=local:256", "l=local:256"},
        {"s=sampler", "s=sampler:border:nearest"},
        {"s=sampler:normalized:linear:mirror", "s=sampler:mirror:linear:normalized"},
    };
    for (const auto& [text, full] : cases) {
        INFO(text);
        const KernelArgument argument = parse_kernel_argument(text);
        CHECK(to_string(argument) == full);
        CHECK(parse_kernel_argument(full) == argument);
    }
}

TEST_CASE("bad arguments are named with what to write")
{
    const std::pair<const char*, const char*> cases[] = {
        {"A", "no argument"},
        {"=int:5", "no argument"},
        {"A=", "no kind of argument"},
        {"A=texture:4x4:rgba32f", "no kind of argument"},
        {"A=image:4x4", "no format"},
        {"A=image:4x4:rgb32f", "no format"},
        {"A=image:4x4:bgra32f", "no format"},
        {"A=image:0x4:r8", "no size of an image"},
        {"A=image:4xx4:r8", "no size of an image"},
        {"A=image:4x4x4x4:r8", "no size of an image"},
        {"A=image:-4x4:r8", "no size of an image"},
        {"A=image:2147483647x2147483647:rgba32f", "2 GiB"},
        {"A=image:4x4:r8:ones", "no way to fill it"},
        {"A=image:4x4:r8:zero:zero", "too much"},
        {"b=buffer:0", "not a number of bytes"},
        {"b=buffer:99999999999", "not a number of bytes"},
        {"b=buffer:2147483648:float4", "2 GiB"},
        {"b=buffer:16:float5", "neither a type"},
        {"b=buffer:16:float:x", "no way to fill it"},
        {"n=int:", "no number of type int"},
        {"n=int:1.5", "no number of type int"},
        {"n=int:2147483648", "no number of type int"},
        {"n=uchar:256", "no number of type uchar"},
        {"n=uint:-1", "no number of type uint"},
        {"v=float4:1,2", "it has 2 numbers"},
        {"v=float4:1,2,3,x", "no number of type float"},
        {"n=int:5:6", "too much"},
        {"l=local:x", "not a number of bytes"},
        {"l=local:4:zero", "too much"},
        {"s=sampler:edge:border", "no word of a sampler"},
        {"s=sampler:cubic", "no word of a sampler"},
    };
    for (const auto& [text, words] : cases) {
        INFO(text);
        const std::string error = argument_error(text);
        CHECK_THAT(error, Contains(words));
        CHECK(error.find('\n') == std::string::npos);
    }
}

TEST_CASE("arguments hold the numbers that they are filled with")
{
    const auto data = [](const char* text, std::uint64_t seed = 1) {
        return argument_data(parse_kernel_argument(text), seed);
    };
    CHECK(numbers_in<float>(data("b=buffer:4:float:iota")) == std::vector<float>{0, 1, 2, 3});
    CHECK(numbers_in<std::int16_t>(data("A=image:3x1:r16i:iota")) ==
          std::vector<std::int16_t>{0, 1, 2});
    CHECK(numbers_in<std::int32_t>(data("v=int4:1,-2,3,-4")) ==
          std::vector<std::int32_t>{1, -2, 3, -4});
    CHECK(numbers_in<std::uint64_t>(data("v=ulong:18446744073709551615")) ==
          std::vector<std::uint64_t>{18446744073709551615U});
    CHECK(numbers_in<double>(data("v=double2:0.5")) == std::vector<double>{0.5, 0.5});
    CHECK(numbers_in<std::uint16_t>(data("v=half:-1.5")) ==
          std::vector<std::uint16_t>{texelscope::base::half_bits(-1.5F)});
    CHECK(data("v=float3:1").size() == 16); // as OpenCL stores vectors of three
    CHECK(numbers_in<std::uint8_t>(data("s=bytes:3:iota")) == std::vector<std::uint8_t>{0, 1, 2});
    CHECK(data("b=buffer:8") == std::string(8, '\0'));
    const auto random = numbers_in<float>(data("b=buffer:1000:float"));
    CHECK(std::ranges::all_of(random, [](float x) { return x >= -1 && x < 1; }));
    CHECK(std::ranges::count(random, random[0]) < 5);
    CHECK(data("b=buffer:1000:float") == data("b=buffer:1000:float"));
    CHECK(data("b=buffer:1000:float") != data("c=buffer:1000:float"));
    CHECK(data("b=buffer:1000:float") != data("b=buffer:1000:float", 2));
    const auto whole = numbers_in<std::int32_t>(data("b=buffer:1000:int:random"));
    CHECK(std::ranges::all_of(whole, [](int x) { return x >= 0 && x < 256; }));
}

TEST_CASE("arguments go to the parameters of their names, in the kernel's order")
{
    std::vector<std::string> reversed(blur_arguments.rbegin(), blur_arguments.rend());
    const auto ordered = matched(blur_signature(), parsed_arguments(reversed));
    REQUIRE(ordered.size() == 7);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        CHECK(ordered[i].name == blur_signature().parameters[i].name);
        lines.push_back(request_line(ordered[i], blur_signature().parameters[i]));
    }
    CHECK(lines == std::vector<std::string>{"image 2D RGBA float 256 64 1", "buffer 144", "value 4",
                                            "value 12", "local-memory 256",
                                            "sampler 0 edge nearest",
                                            "image 2D-array R unorm8 8 4 2"});
    CHECK(request_line(parse_kernel_argument("a=image:8x3:r32f"),
                       {"a", "image1d_array_t", "global", "read_only"}) ==
          "image 1D-array R float 8 1 3");
    CHECK(request_line(parse_kernel_argument("a=image:8:r32f"),
                       {"a", "image1d_buffer_t", "global", "read_only"}) ==
          "image 1D-buffer R float 8 1 1");
}

TEST_CASE("one message names all arguments that are missing, and what to type")
{
    const std::string all = matching_error({});
    CHECK(all.find('\n') == std::string::npos);
    for (const char* words :
         {"'blur' needs 7 more arguments", "read_only image2d_t in", "constant float4* weights",
          "int n", "--arg in=image:WIDTHxHEIGHT:rgba32f", "--arg weights=buffer:COUNT:float4",
          "--arg n=int:NUMBER", "--arg place=bytes:BYTES", "--arg tile=local:BYTES",
          "--arg how=sampler:border:nearest", "--arg layers=image:WIDTHxHEIGHTxLAYERS:rgba32f"}) {
        CHECK_THAT(all, Contains(words));
    }
    auto but_one = blur_arguments;
    but_one.erase(but_one.begin() + 2);
    CHECK_THAT(matching_error(but_one), Contains("1 more argument: int n"));
    CHECK(matching_error(blur_arguments).empty());
}

TEST_CASE("arguments that fit no parameter are refused")
{
    const auto with = [](std::size_t place, const std::string& text) {
        auto changed = blur_arguments;
        changed[place] = text;
        return matching_error(changed);
    };
    CHECK_THAT(with(0, "out=image:4x4:r8"), Contains("no such parameter") && Contains("weights"));
    CHECK_THAT(with(0, "n=int:5"), Contains("given twice"));
    CHECK_THAT(with(0, "in=image:4:r8"), Contains("read_only image2d_t in"));
    CHECK_THAT(with(0, "in=buffer:4"), Contains("read_only image2d_t in"));
    CHECK_THAT(with(1, "weights=int:4"), Contains("constant float4* weights"));
    CHECK_THAT(with(2, "n=float:4"), Contains("write n=int:NUMBER"));
    CHECK_THAT(with(2, "n=bytes:4"), Contains("write n=int:NUMBER"));
    CHECK_THAT(with(4, "tile=buffer:4"), Contains("tile=local:BYTES"));
    CHECK_THAT(with(5, "how=int:4"), Contains("how=sampler"));
    CHECK_THAT(with(6, "layers=image:4x4:r8"), Contains("WIDTHxHEIGHTxLAYERS"));
    CHECK(with(3, "place=int:4").empty()); // a type of the program may be a number
}

TEST_CASE("kernels are read as the launching program tells of them")
{
    const std::string answer = "kernel scale 0 0 0 64\n"
                               "argument global read_only A image2d_t\n"
                               "argument private none q struct place\n"
                               "kernel other 8 8 1 0\n"
                               "end\n";
    const auto kernels = parse_signatures(answer, "f.cl");
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0].local_bytes == 64);
    CHECK(kernels[0].parameters[0].declaration() == "read_only image2d_t A");
    CHECK(kernels[0].parameters[1].type == "struct place");
    CHECK(kernels[1].required_local == std::array<std::int64_t, 3>{8, 8, 1});
    CHECK(chosen_kernel(kernels, "other", "f.cl").name == "other");
    CHECK_THROWS_WITH(chosen_kernel(kernels, "", "f.cl"), Contains("scale, other"));
    CHECK_THROWS_WITH(chosen_kernel(kernels, "none", "f.cl"), Contains("no kernel 'none'"));
    CHECK_THROWS_WITH(chosen_kernel({}, "", "f.cl"), Contains("it has no kernel"));
    CHECK_THROWS_WITH(parse_signatures("failed clBuildProgram -11\nf.cl:3:1: error: what\n"
                                       "f.cl:4:1: error: more\n",
                                       "f.cl"),
                      Contains("f.cl:3:1: error: what (and 1 more)"));
    const std::string text = "#line 1 \"a.cl\"\nint x;\n#line 1 \"b c.h\"\nint y;\nint z;\n"
                             "#line 3 \"a.cl\"\nint w;\nint v;\n";
    const std::pair<int, const char*> places[] = {
        {2, "a.cl:1:7:"}, {4, "b c.h:1:7:"}, {5, "b c.h:2:7:"}, {7, "a.cl:3:7:"}, {8, "a.cl:4:7:"}};
    for (const auto& [line, place] : places) {
        CHECK_THROWS_WITH(parse_signatures("failed clBuildProgram -11\ninput.cl:" +
                                               std::to_string(line) + ":7: error: what\n",
                                           "a.cl", text),
                          Contains(std::string(place) + " error: what"));
    }
    CHECK_THROWS_WITH(parse_signatures(answer + "failed clSetKernelArg -51\n", "f.cl"),
                      Contains("clSetKernelArg gives error -51"));
    CHECK_THROWS_AS(parse_signatures("kernel scale 0 0 0 0\n", "f.cl"), Error); // broken off
}
