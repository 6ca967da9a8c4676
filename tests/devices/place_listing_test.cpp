// What a place tells of its devices, on PoCL.

#include "base/error.hpp"
#include "devices/runners/place_listing.hpp"
#include "tests/devices/fake_machine.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

using namespace texelscope::devices;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

JobRunnerOptions with_agent()
{
    JobRunnerOptions options;
    options.agents = std::filesystem::path(TEXELSCOPE_AGENT).parent_path();
    return options;
}

/// Without what PoCL makes of the memory that is free just then.
DeviceListing steady(DeviceListing listing)
{
    for (ListedDevice& device : listing.devices) {
        device.info.largest_allocation = 0;
        device.info.image_width = 0;
        device.info.image_height = 0;
    }
    return listing;
}

std::string bytes_of(const DeviceListing& listing)
{
    std::ostringstream out;
    write_listing(out, listing);
    return out.str();
}

bool has(const std::vector<std::string>& texts, const std::string& text)
{
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

} // namespace

TEST_CASE("a place lists all its devices as this program sees them, and the one that is named")
{
    const FakeMachine machine;
    DeviceListing here;
    here.devices = listed_opencl_devices();
    REQUIRE_FALSE(here.devices.empty());
    for (const char* on : {"adb:phone-1", "ssh:me@board", "agent:", ""}) {
        CAPTURE(on);
        DeviceListing there = list_place(parse_job_place(on), with_agent());
        CHECK(there.library == "libOpenCL.so");
        there.library.clear();
        there.now = {};
        CHECK(bytes_of(steady(there)) == bytes_of(steady(here)));
    }
    CHECK(machine.is_clean());
    const DeviceListing pocl = list_place(parse_job_place("adb:phone-1/pocl"), with_agent());
    REQUIRE(pocl.devices.size() == 1);
    const ListedDevice& device = pocl.devices.front();
    CHECK(device.info.is_pocl());
    // What PoCL on a CPU has by its documentation and OpenCL 1.2's minima.
    CHECK(has(device.formats, "CL_RGBA CL_FLOAT"));
    CHECK(has(device.formats, "CL_RGBA CL_UNORM_INT8"));
    CHECK(has(device.extensions, "cl_khr_byte_addressable_store"));
    CHECK(device.read_images >= 128);
    CHECK(device.no_formats.empty());
}

TEST_CASE("without an agent's program this process lists its devices")
{
    JobRunnerOptions nowhere;
    nowhere.agents = "/nowhere";
    const DeviceListing here = list_place(parse_job_place("pocl"), nowhere);
    CHECK(here.library.empty());
    REQUIRE(here.devices.size() == 1);
    CHECK(here.devices.front().info.is_pocl());
}

TEST_CASE("a place without such a device, or without OpenCL, is missing")
{
    const FakeMachine machine;
    CHECK_THROWS_WITH(list_place(parse_job_place("adb:phone-1/no such thing"), with_agent()),
                      Contains("no OpenCL device fits"));
    JobRunnerOptions how = with_agent();
    how.opencl = "/nowhere/libOpenCL.so";
    CHECK_THROWS_WITH(list_place(parse_job_place("adb:phone-1"), how),
                      Contains("adb:phone-1: texelscope-agent: no OpenCL library could be loaded "
                               "(not there: /nowhere/libOpenCL.so)"));
    how = with_agent();
    how.agent = machine.file("agent", "#!/bin/sh\nkill -9 $$\n");
    CHECK_THROWS_WITH(list_place(parse_job_place("adb:phone-1"), how),
                      Contains("adb:phone-1: the agent ended early while it asked the drivers"));
}

TEST_CASE("a list of devices that is damaged is refused, and one that is whole is read as it was")
{
    DeviceListing listing;
    listing.library = "/vendor/lib64/libOpenCL.so";
    listing.now.clock_hz = 680'000'000;
    listing.now.clock_source = "gpuclk";
    ListedDevice device;
    device.info.name = "Adreno";
    device.info.images = true;
    device.formats = {"CL_RGBA CL_HALF_FLOAT", "CL_R 0x10F0"};
    device.extensions = {"cl_khr_fp16"};
    listing.devices = {device, device};
    std::string bytes = bytes_of(listing);
    std::istringstream whole(bytes);
    const DeviceListing again = read_listing(whole, "here");
    CHECK(bytes_of(again) == bytes);
    CHECK(again.now.clock_hz == 680'000'000);
    CHECK_FALSE(again.now.millidegrees);
    CHECK(again.devices.at(1).formats == device.formats);

    for (const std::size_t size : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
        std::istringstream cut(bytes.substr(0, size));
        CHECK_THROWS_AS(read_listing(cut, "here"), Error);
    }
    std::istringstream more(bytes + "device 3\n");
    CHECK_THROWS_WITH(read_listing(more, "here"), Contains("something follows the last device"));
    bytes[bytes.find("Adreno")] = 'a';
    std::istringstream damaged(bytes);
    CHECK_THROWS_AS(read_listing(damaged, "here"), Error);
}
