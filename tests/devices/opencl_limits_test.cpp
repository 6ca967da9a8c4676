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
