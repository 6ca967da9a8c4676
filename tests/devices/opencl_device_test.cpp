// These need the Portable Computing Language; where it is missing they fail and say so.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "tests/devices/small_nests.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope::devices;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

const RunOptions quick{.warm_up = 0, .samples = 1};
const RunOptions quick_native{.warm_up = 0, .samples = 1, .native_reads = true};

} // namespace

TEST_CASE("PoCL is found and described")
{
    const auto devices = opencl_devices();
    for (std::size_t i = 0; i < devices.size(); ++i) {
        CHECK(devices[i].index == static_cast<int>(i));
    }
    const OpenClDevice device("pocl");
    CHECK(device.info().is_pocl());
    CHECK(device.info().images);
    CHECK(device.info().compute_units > 0);
    CHECK(device.info().max_work_group > 0);
    CHECK(device.info().max_work_item_sizes.size() == 3);
    CHECK(device.info().image_width >= 4096);
    CHECK(OpenClDevice(std::to_string(device.info().index)).info().name == device.info().name);
}

TEST_CASE("a device that is not there is missing")
{
    try {
        const OpenClDevice device("no such device");
        FAIL("it was opened");
    } catch (const Error& error) {
        CHECK(error.kind() == Error::Kind::missing);
        CHECK_THAT(error.what(), Contains("Portable Computing Language"));
    }
}

TEST_CASE("on PoCL's CPU device the descriptor read passes its self-test")
{
    const OpenClDevice device("pocl");
    REQUIRE(device.info().cpu);
    CHECK(device.best_backend() == TexelBackend::pocl_descriptor);
}

TEST_CASE(
    "a copy with reads beyond every edge returns the same by both reads, and what the host has")
{
    const OpenClDevice device("pocl");
    struct Case {
        Extent2D extent;
        Texel shift;
    };
    // 64 texels make rows of 1 KB, which are padded for the descriptor read.
    for (const auto& [extent, shift] :
         {Case{{1, 1}, {0, 0}}, Case{{13, 7}, {-3, 2}}, Case{{64, 5}, {5, -1}},
          Case{{64, 9}, {0, 0}}, Case{{65, 9}, {70, 0}}}) {
        INFO(extent.width << "x" << extent.height << " shifted by " << shift.x << ", " << shift.y);
        const LoopNest nest = shifted_copy(extent, shift);
        const auto source = random_texels(extent, 11);
        const auto expected = shifted(source, extent, shift);
        const Measurement fast = device.run(nest, {source}, quick);
        const Measurement native = device.run(nest, {source}, quick_native);
        REQUIRE(fast.status == RunStatus::ok);
        REQUIRE(native.status == RunStatus::ok);
        CHECK(fast.backend == device.best_backend());
        CHECK(native.backend == TexelBackend::native);
        CHECK(fast.output == expected);
        CHECK(native.output == expected);
        CHECK(fast.reason.empty());
    }
}

TEST_CASE("a product over two images is right by both reads")
{
    const OpenClDevice device("pocl");
    constexpr std::int32_t width = 19, height = 10, depth = 64;
    const LoopNest nest = component_product(width, height, depth);
    const auto a = random_texels({depth, height}, 3);
    const auto b = random_texels({width, depth}, 4);
    std::vector<float> expected;
    for (std::int32_t y = 0; y < height; ++y) {
        for (std::int32_t x = 0; x < width; ++x) {
            for (std::int32_t c = 0; c < 4; ++c) {
                float sum = 0;
                for (std::int32_t k = 0; k < depth; ++k) {
                    sum += a[static_cast<std::size_t>((y * depth + k) * 4 + c)] *
                           b[static_cast<std::size_t>((k * width + x) * 4 + c)];
                }
                expected.push_back(sum); // at most 64 * 64 * 64: exact
            }
        }
    }
    CHECK(device.run(nest, {a, b}, quick).output == expected);
    CHECK(device.run(nest, {a, b}, quick_native).output == expected);
}

TEST_CASE("as many samples are taken as asked for, and at least one")
{
    const OpenClDevice device("pocl");
    const LoopNest nest = shifted_copy({13, 7}, {0, 0});
    const auto source = random_texels({13, 7}, 1);
    const Measurement five = device.run(nest, {source}, {.warm_up = 1, .samples = 5});
    CHECK(five.samples_ns.size() == 5);
    CHECK(std::all_of(five.samples_ns.begin(), five.samples_ns.end(),
                      [](double ns) { return ns > 0; }));
    const Measurement none =
        device.run(nest, {source}, {.warm_up = 3, .samples = 5, .budget_seconds = 0});
    CHECK(none.status == RunStatus::ok);
    CHECK(none.samples_ns.size() == 1);
    CHECK(none.output == source);
}

TEST_CASE("texels that a kernel does not write are seen")
{
    const OpenClDevice device("pocl");
    LoopNest nest = shifted_copy({16, 8}, {0, 0});
    nest.guards[0].bound = 15; // the last column is left out
    const auto source = random_texels({16, 8}, 1);
    const Measurement result = device.run(nest, {source}, quick);
    REQUIRE(result.status == RunStatus::ok);
    for (std::size_t i = 0; i < result.output.size(); ++i) {
        const bool last_column = i / 4 % 16 == 15;
        CHECK((last_column ? std::isnan(result.output[i]) : result.output[i] == source[i]));
    }
}

TEST_CASE("a kernel that does not build is told from one that fails, with its log")
{
    const OpenClDevice device("pocl");
    LoopNest nest = shifted_copy({8, 4}, {0, 0});
    nest.body.insert(nest.body.begin(), NestText{"int broken = no_such_thing;"});
    const Measurement result = device.run(nest, {random_texels({8, 4}, 1)}, quick);
    CHECK(result.status == RunStatus::build_failed);
    CHECK_THAT(result.reason, Contains("does not build") && Contains("no_such_thing"));
    CHECK(result.reason.find('\n') == std::string::npos);
    CHECK_THAT(result.build_log, Contains("no_such_thing"));
    CHECK(result.samples_ns.empty());
    CHECK(result.output.empty());
}

TEST_CASE("launches beyond the device are unsupported, with the reason")
{
    const OpenClDevice device("pocl");
    LoopNest nest = shifted_copy({8, 4}, {0, 0});
    const auto source = random_texels({8, 4}, 1);
    SECTION("work-group")
    {
        nest.local = {static_cast<std::int32_t>(device.info().max_work_group), 2, 1};
        const Measurement result = device.run(nest, {source}, quick);
        CHECK(result.status == RunStatus::unsupported);
        CHECK_THAT(result.reason, Contains(std::to_string(device.info().max_work_group)));
    }
    SECTION("image")
    {
        nest.output =
            texel_operand("result", {static_cast<std::int32_t>(device.info().image_width + 1), 1});
        const Measurement result = device.run(nest, {source}, quick);
        CHECK(result.status == RunStatus::unsupported);
        CHECK_THAT(result.reason, Contains("result"));
    }
}

TEST_CASE("a launch that takes too long is given up")
{
    const OpenClDevice device("pocl");
    LoopNest nest = shifted_copy({1, 1}, {0, 0});
    // A chain of dependent operations that takes a processor far longer than the timeout, on a
    // single work-item.
    nest.body.insert(
        nest.body.begin() + 1,
        NestText{"float4 chain = value;\n"
                 "for (int i = 0; i < 300000000; ++i) chain = chain * 0.999f + 1.0f;"});
    std::get<NestWrite>(nest.body.back()).value = nest.add_value("chain", 4);
    const Measurement result = device.run(nest, {random_texels({1, 1}, 1)},
                                          {.warm_up = 0, .samples = 1, .timeout_seconds = 0.001});
    CHECK(result.status == RunStatus::timed_out);
    CHECK_THAT(result.reason, Contains("0.001 s"));
    CHECK(result.samples_ns.empty());
}

TEST_CASE("inputs that are not those of the nest are refused")
{
    const OpenClDevice device("pocl");
    const LoopNest nest = shifted_copy({8, 4}, {0, 0});
    CHECK_THROWS_AS(device.run(nest, {}, quick), Error);
    CHECK_THROWS_AS(device.run(nest, {random_texels({8, 5}, 1)}, quick), Error);
}

TEST_CASE("the recorded reads are those that the access functions give")
{
    const OpenClDevice device("pocl");
    const auto check = [&](const LoopNest& nest, const std::vector<std::vector<float>>& inputs) {
        const Launch launch = launch_of(nest);
        const auto reads = device.record(nest, inputs);
        REQUIRE(static_cast<std::int64_t>(reads.size()) ==
                launch.group_count() * launch.group_size());
        std::size_t item = 0;
        for (std::int32_t gy = 0; gy < launch.groups[1]; ++gy) {
            for (std::int32_t gx = 0; gx < launch.groups[0]; ++gx) {
                for (std::int32_t ly = 0; ly < launch.local[1]; ++ly) {
                    for (std::int32_t lx = 0; lx < launch.local[0]; ++lx, ++item) {
                        INFO("work-item " << item);
                        REQUIRE(reads[item] == item_reads(launch, {gx, gy, 0}, {lx, ly, 0}));
                    }
                }
            }
        }
    };
    check(shifted_copy({13, 7}, {-2, 1}), {random_texels({13, 7}, 1)});
    check(component_product(11, 6, 5), {random_texels({5, 6}, 1), random_texels({11, 5}, 2)});
}

TEST_CASE("a recording that fails throws")
{
    const OpenClDevice device("pocl");
    LoopNest nest = shifted_copy({8, 4}, {0, 0});
    nest.body.insert(nest.body.begin(), NestText{"int broken = no_such_thing;"});
    CHECK_THROWS_WITH(device.record(nest, {random_texels({8, 4}, 1)}), Contains("no_such_thing"));
}
