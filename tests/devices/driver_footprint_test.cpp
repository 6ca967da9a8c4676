#include "devices/jobs/driver_footprint.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::devices;

TEST_CASE("Registers and spills come from NVIDIA's build log")
{
    const DriverFootprint footprint = footprint_from_log(
        "\nptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'matmul' for 'sm_90'\n"
        "ptxas info    : Function properties for matmul\n"
        "    0 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n"
        "ptxas info    : Used 128 registers, used 1 barriers, 376 bytes cmem[0]\n");
    CHECK(footprint.registers == 128);
    CHECK(footprint.spilled_bytes == 40);
    CHECK_FALSE(footprint_from_log("").registers.has_value());
    CHECK_FALSE(footprint_from_log("warning: 3 registers are used").registers.has_value());
}
