#include "base/error.hpp"
#include "devices/kernels/opencl_device.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::devices;
using Catch::Matchers::Contains;

namespace {

OpenClDeviceInfo device(int index, const std::string& platform, const std::string& name)
{
    OpenClDeviceInfo info;
    info.index = index;
    info.platform = platform;
    info.name = name;
    return info;
}

const std::vector<OpenClDeviceInfo> found_devices{
    device(0, "Example Platform", "Example GPU 9"),
    device(1, "Portable Computing Language", "pthread-generic"),
    device(2, "Portable Computing Language", "another one"),
};

} // namespace

TEST_CASE("a device is chosen by index or by part of a name, in any case")
{
    CHECK(choose_device(found_devices, "0").index == 0);
    CHECK(choose_device(found_devices, "2").index == 2);
    CHECK(choose_device(found_devices, "pocl").index == 1);
    CHECK(choose_device(found_devices, "PoCL").index == 1);
    CHECK(choose_device(found_devices, "PORTABLE comp").index == 1);
    CHECK(choose_device(found_devices, "gpu 9").index == 0);
    CHECK(choose_device(found_devices, "ANOTHER").index == 2);
}

TEST_CASE("where no device fits, the message lists what there is")
{
    for (const std::string selector : {"3", "99999999999999999999999", "-1", "phone", ""}) {
        INFO(selector);
        try {
            (void)choose_device(found_devices, selector);
            FAIL("something was chosen");
        } catch (const Error& error) {
            CHECK(error.kind() == Error::Kind::missing);
            CHECK_THAT(error.what(),
                       Contains("\"" + selector + "\"") &&
                           Contains("0 = Example GPU 9 on Example Platform") &&
                           Contains("2 = another one on Portable Computing Language"));
        }
    }
    CHECK_THROWS_WITH(choose_device({}, "pocl"), Contains("no OpenCL device on this machine"));
    CHECK_THROWS_WITH(choose_device({device(0, "Example Platform", "GPU")}, "pocl"),
                      Contains("\"pocl\""));
}
