#include "devices/kernels/opencl_device.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::devices;

TEST_CASE("median and minimum of the samples")
{
    Measurement measurement;
    CHECK(measurement.median_ns() == 0);
    CHECK(measurement.min_ns() == 0);
    measurement.samples_ns = {5};
    CHECK(measurement.median_ns() == 5);
    measurement.samples_ns = {9, 1, 5};
    CHECK(measurement.median_ns() == 5);
    CHECK(measurement.min_ns() == 1);
    measurement.samples_ns = {9, 1, 5, 6};
    CHECK(measurement.median_ns() == 5.5);
    CHECK(measurement.samples_ns == std::vector<double>{9, 1, 5, 6});
}

TEST_CASE("each status has its word")
{
    CHECK(to_string(Measurement::Status::ok) == "ok");
    CHECK(to_string(Measurement::Status::unsupported) == "unsupported");
    CHECK(to_string(Measurement::Status::failed) == "failed");
    CHECK(to_string(Measurement::Status::timed_out) == "timed-out");
}
