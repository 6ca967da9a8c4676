// texelscope explain, from a kernel's file to what it says, where Oclgrind is there.

#include "tests/capture/captured.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace texelscope::test {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;

constexpr const char* kernels_to_explain = R"(
const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void shifted(read_only image2d_t in, write_only image2d_t out, float4 factor)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float4 sum =
        read_imagef(in, border, (int2)(x, y)) + read_imagef(in, border, (int2)(x + 3, y));
    write_imagef(out, (int2)(x, y), exp(sum) * factor);
}
kernel void columns(global const float* in, global float* out, int width)
{
    const int row = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < width; ++i) {
        sum += in[row * width + i];
    }
    out[row] = sum;
}
kernel void turned(global const float* in, global float* out, local float* tile)
{
    const int item = get_local_id(0);
    tile[item] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_size(0) - 1 - item];
}
)";

std::string kernels_file(const TemporaryFolder& folder)
{
    const std::string path = folder.file("kernels.cl");
    std::ofstream(path) << kernels_to_explain;
    return path;
}

ProgramResult run_explain(const TemporaryFolder& folder, const Words& arguments)
{
    return run_program(
        Words{"explain", kernels_file(folder)} + arguments,
        "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:new_delete_type_mismatch=0 "
        "XDG_CACHE_HOME=" +
            folder.file("cache"));
}

json explained(const TemporaryFolder& folder, const Words& arguments)
{
    const ProgramResult result = run_explain(folder, arguments + Words{"--json"});
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    return json::parse(result.output);
}

const Words explained_shifted{"--kernel", "shifted",
                              "--global", "32,16",
                              "--device", "adreno-740",
                              "--arg",    "in=image:32x16:rgba32f",
                              "--arg",    "out=image:32x16:rgba16f",
                              "--arg",    "factor=float4:2"};

} // namespace

TEST_CASE("explain says what an image kernel reads, executes and could change")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const std::string page = folder.file("page.html");
    const json out = explained(
        folder, explained_shifted + Words{"--device", "mali-g76", "--local", "8,4", "-o", page});
    CHECK(out["schema"] == "texelscope.explain/1");
    CHECK(out["launch"]["kernel"] == "shifted");
    CHECK(out["launch"]["local"] == json{8, 4, 1});
    CHECK(out["launch"]["arguments"][0] == "in=image:32x16:rgba32f:random");
    // Four sums and four products of each work-item, four exponentials.
    CHECK(out["launch"]["executed"]["floats"] == 512 * 8);
    CHECK(out["launch"]["executed"]["specials"] == 512 * 4);
    CHECK(out["launch"]["executed"]["halves"] == 0);
    REQUIRE(out["devices"].size() == 2);
    const json& device = out["devices"][0];
    CHECK(device["device"] == "adreno-740");
    CHECK(device["ns"].get<double>() > 0);
    CHECK(device["registers"]["from"].is_null()); // no compilers in that cache folder
    CHECK_THAT(device["registers"]["reason"].get<std::string>(), Contains("compile --setup"));
    const auto in = std::ranges::find_if(device["reads"],
                                         [](const json& one) { return one["argument"] == "in"; });
    REQUIRE(in != device["reads"].end());
    CHECK((*in)["reads"] == 1024);
    CHECK((*in)["outside"] == 3 * 16);
    CHECK((*in)["distinct"] == 512);
    CHECK((*in)["l1_hit_rate"].get<double>() > 0);
    // Nothing in this kernel depends on the work-groups, whatever other kernels of the file do.
    CHECK(std::ranges::any_of(device["changes"],
                              [](const json& one) { return one["kind"] == "local-size"; }));
    double last = 1e9;
    for (const json& change : device["changes"]) {
        CHECK(change["ratio"].get<double>() <= last);
        last = change["ratio"].get<double>();
        CHECK(change["ratio"].get<double>() ==
              Approx(device["ns"].get<double>() / change["ns"].get<double>()));
    }
    const std::string html = read_file(page);
    CHECK_THAT(html, Contains("data:image/png;base64,") && Contains("What to change") &&
                         Contains("mali-g76"));
    // Nothing else is left behind: the kernels, the page.
    std::filesystem::remove_all(folder.file("cache"));
    CHECK(folder.files() == 2);
}

TEST_CASE("explain takes buffers, and tries them as images")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const json out = explained(folder, {"--kernel", "columns", "--global", "64", "--device",
                                        "adreno-740", "--arg", "in=buffer:2048:float", "--arg",
                                        "out=buffer:64:float", "--arg", "width=int:32"});
    const json& device = out["devices"][0];
    const auto in = std::ranges::find_if(device["reads"],
                                         [](const json& one) { return one["argument"] == "in"; });
    REQUIRE(in != device["reads"].end());
    CHECK((*in)["kind"] == "buffer");
    CHECK((*in)["reads"] == 2048);
    CHECK((*in)["distinct"] == 2048);
    CHECK(out["launch"]["executed"]["floats"] == 2048);
    const auto is_image = [](const json& change) {
        return change["kind"] == "image" && change["argument"] == "in";
    };
    CHECK(std::ranges::any_of(device["changes"], is_image));
    // A buffer that is only written has no reads to go another way.
    CHECK(std::ranges::none_of(device["changes"],
                               [](const json& change) { return change["argument"] == "out"; }));
}

TEST_CASE("explain counts local memory, and leaves the work-groups of such kernels alone")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const json out =
        explained(folder, {"--kernel", "turned", "--global", "256", "--local", "64", "--device",
                           "adreno-740", "--arg", "in=buffer:256:float", "--arg",
                           "out=buffer:256:float", "--arg", "tile=local:256"});
    CHECK(out["launch"]["local_memory"] == 256);
    for (const json& change : out["devices"][0]["changes"]) {
        CHECK(change["kind"] != "local-size");
    }
    CHECK_THAT(out["devices"][0]["not_tried"].dump(), Contains("its text uses local"));
}

TEST_CASE("explain takes a recorded launch")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const std::string trace = folder.file("t.tst");
    REQUIRE(
        run_capture(trace, {"--buffers", "--kernel", "edges"}, host_program("images")).exit_code ==
        0);
    const ProgramResult result =
        run_explain(folder, {"--trace", trace, "--device", "adreno-740", "--json"});
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    const json out = json::parse(result.output);
    CHECK(out["launch"]["kernel"] == "edges");
    CHECK(out["launch"]["executed"].is_null());
    CHECK_THAT(result.errors, Contains("arithmetic takes no time here"));
    CHECK(run_explain(folder, {"--trace", trace, "--device", "adreno-740", "--global", "4"})
              .exit_code == 2);
}

TEST_CASE("explain says in one line what is wrong")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const auto error = [&](const Words& arguments) {
        const ProgramResult result = run_explain(folder, arguments);
        INFO(result.errors);
        CHECK(result.exit_code == 2);
        const auto line = result.errors.rfind("texelscope: ");
        REQUIRE(line != std::string::npos);
        CHECK(result.errors.find('\n', line) == result.errors.size() - 1);
        return result.errors;
    };
    const Words device{"--device", "adreno-740", "--global", "32,16"};
    CHECK_THAT(error(device), Contains("it has 3 kernels") && Contains("shifted"));
    CHECK_THAT(error(device + Words{"--kernel", "shifted"}),
               Contains("needs 3 more arguments") &&
                   Contains("--arg in=image:WIDTHxHEIGHT:rgba32f"));
    CHECK_THAT(error({"--device", "adreno-740", "--kernel", "shifted"}),
               Contains("--global is missing"));
    CHECK_THAT(error(explained_shifted + Words{"--local", "5"}), Contains("--local"));
    CHECK_THAT(error(explained_shifted + Words{"-D", "exp=nothing("}), Contains("kernels.cl:8:"));
    CHECK_THAT(error({"--device", "adreno-1", "--global", "4", "--kernel", "shifted"}),
               Contains("adreno-1"));
    const ProgramResult none =
        run_program(Words{"explain", kernels_file(folder)} + explained_shifted,
                    "TEXELSCOPE_OCLGRIND=/nowhere/oclgrind");
    CHECK(none.exit_code == 3);
    CHECK_THAT(none.errors, Contains("/nowhere/oclgrind"));
}

} // namespace texelscope::test
