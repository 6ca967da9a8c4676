#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/kernels/nest_job.hpp"
#include "tests/devices/small_nests.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::devices;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

OpenClDeviceInfo roomy()
{
    OpenClDeviceInfo info;
    info.images = true;
    info.image_width = 16;
    info.image_height = 12;
    info.max_work_group = 32;
    info.max_work_item_sizes = {8, 4, 1};
    return info;
}

} // namespace

TEST_CASE("a nest exactly at the limits is within them")
{
    CHECK_FALSE(beyond_limits(roomy(), shifted_copy({16, 12}, {0, 0})));
}

TEST_CASE("each limit that is passed by one is named")
{
    LoopNest nest = shifted_copy({16, 12}, {0, 0});
    OpenClDeviceInfo device = roomy();
    std::string part;
    SECTION("no images")
    {
        device.images = false, part = "no images";
    }
    SECTION("image width")
    {
        device.image_width = 15, part = "source is 16x12 texels, the device takes 15x12";
    }
    SECTION("image height")
    {
        device.image_height = 11, part = "source is 16x12 texels, the device takes 16x11";
    }
    SECTION("work-group")
    {
        device.max_work_group = 31, part = "32 work-items, the device takes 31";
    }
    SECTION("x")
    {
        device.max_work_item_sizes[0] = 7, part = "8 work-items along x, the device takes 7";
    }
    SECTION("y")
    {
        device.max_work_item_sizes[1] = 3, part = "4 work-items along y, the device takes 3";
    }
    SECTION("local memory")
    {
        nest.local_arrays = {{4, "block", 3}};
        device.local_memory = 48;
        REQUIRE_FALSE(beyond_limits(device, nest));
        device.local_memory = 47, part = "48 B of local memory, the device has 47";
    }
    const auto reason = beyond_limits(device, nest);
    REQUIRE(reason);
    CHECK_THAT(*reason, Contains(part));
}

TEST_CASE("the output image is held to the limits too")
{
    LoopNest nest = shifted_copy({16, 12}, {0, 0});
    nest.output = texel_operand("result", {17, 12});
    const auto reason = beyond_limits(roomy(), nest);
    REQUIRE(reason);
    CHECK_THAT(*reason, Contains("result is 17x12"));
}

TEST_CASE("half precision is for devices that compute in it, and takes half the local memory")
{
    const Operator op = parse_operator("matmul", "16,16,16");
    const LoopNest nest = loop_nest(op, parse_schedule("A=row,column;T=4x1;G=4x4;S=4;P=fp16"));
    const LoopNest single = loop_nest(op, parse_schedule("A=row,column;T=4x1;G=4x4;S=4"));
    std::vector<std::vector<float>> inputs;
    for (const Operand& input : nest.inputs) {
        inputs.emplace_back(static_cast<std::size_t>(input.image.extent.area() * 4));
    }
    OpenClDeviceInfo device = roomy();
    device.image_width = device.image_height = 64;
    device.max_work_item_sizes = {16, 16, 1};
    const auto options = [&](const LoopNest& of, const RunOptions& run) {
        return nest_job(of, inputs, TexelBackend::native, run, device).options;
    };
    RunOptions in_float;
    in_float.float_arithmetic = true;
    device.local_memory = local_memory_bytes(nest, Precision::fp32);
    CHECK(local_memory_bytes(nest, Precision::fp16) * 2 == device.local_memory);
    CHECK_FALSE(beyond_limits(device, nest));
    CHECK_THAT(options(nest, {}), Contains("-DFLOAT_ARITHMETIC"));
    CHECK(arithmetic_of(nest, {}, device) == Precision::fp32);
    device.local_memory /= 2;
    CHECK(beyond_limits(device, nest));

    device.half = true;
    CHECK_FALSE(beyond_limits(device, nest));
    CHECK(beyond_limits(device, single));
    CHECK_THAT(options(nest, {}), !Contains("FLOAT_ARITHMETIC"));
    CHECK(arithmetic_of(nest, {}, device) == Precision::fp16);
    CHECK_THAT(options(nest, in_float), Contains("-DFLOAT_ARITHMETIC"));
    CHECK(arithmetic_of(nest, in_float, device) == Precision::fp32);
    CHECK_THAT(options(single, {}), !Contains("FLOAT_ARITHMETIC"));
    CHECK(arithmetic_of(single, {}, device) == Precision::fp32);
}
