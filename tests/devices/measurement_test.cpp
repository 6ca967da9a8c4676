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
    CHECK(to_string(RunStatus::ok) == "ok");
    CHECK(to_string(RunStatus::unsupported) == "unsupported");
    CHECK(to_string(RunStatus::failed) == "failed");
    CHECK(to_string(RunStatus::timed_out) == "timed-out");
    CHECK(to_string(RunStatus::build_failed) == "build-failed");
    for (const RunStatus status :
         {RunStatus::ok, RunStatus::unsupported, RunStatus::build_failed, RunStatus::failed,
          RunStatus::timed_out, RunStatus::crashed, RunStatus::wrong_output}) {
        CHECK(run_status_named(to_string(status)) == status);
        CHECK((run_word(status) == to_string(status)) == (status != RunStatus::build_failed));
    }
    CHECK(run_word(RunStatus::build_failed) == "failed");
    CHECK_FALSE(run_status_named("done"));
}
