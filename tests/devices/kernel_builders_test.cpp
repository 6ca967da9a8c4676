// Kernels built ahead by workers on PoCL, which keeps programs on disk as GPUs' drivers do.

#include "base/scratch_folder.hpp"
#include "devices/runners/isolated_jobs.hpp"
#include "devices/runners/kernel_builders.hpp"
#include "tests/devices/small_jobs.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>

using namespace texelscope::base;
using namespace texelscope::devices;
using namespace texelscope::test;

namespace {

/// As fill_job(), but no other test builds it.
Job job_of(int number)
{
    static const std::string run = ScratchFolder(temporary_path("builders")).path();
    Job job = fill_job(7);
    job.source += "// " + std::to_string(number) + " of " + run + "\n";
    return job;
}

ProcessWithSocket worker()
{
    return start_with_socket({TEXELSCOPE_AGENT, "--serve"});
}

/// Waits until so many are built; false: they are not after a minute.
bool waits_for(const KernelBuilders& builders, std::int64_t built)
{
    for (int i = 0; i < 6000 && builders.built() < built; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return builders.built() >= built;
}

} // namespace

TEST_CASE("Kernels are built ahead once each, by as many processes as there may be")
{
    std::atomic<int> started = 0;
    KernelBuilders builders(
        [&] {
            ++started;
            return worker();
        },
        2);
    CHECK(started == 0);
    const std::vector<Job> jobs{job_of(1), job_of(2), job_of(3)};
    builders.build(jobs);
    REQUIRE(waits_for(builders, 3));
    builders.build(jobs);
    builders.build({jobs[0], job_of(4), jobs[1]});
    REQUIRE(waits_for(builders, 4));
    CHECK(builders.built() == 4);
    CHECK(started <= 2);
    CHECK(builders.log_of(jobs[0]).empty()); // the compiler had nothing to say
}

TEST_CASE("Who is about to build a kernel gets the log of a build under way, or builds it alone")
{
    KernelBuilders builders(worker, 1);
    Job warns = job_of(1);
    warns.source = "#warning \"so it is\"\n" + warns.source;
    Job broken = job_of(2);
    broken.source += "this is no OpenCL C";
    builders.build({warns, broken});
    for (int i = 0; i < 6000 && builders.built() < 1; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(builders.log_of(warns).find("so it is") != std::string::npos);
    (void)builders.log_of(broken); // ends, whether or not a process has come to it
    CHECK(builders.built() == 1);
    // What nobody has begun to build stays with who asks.
    const Job own = job_of(3);
    CHECK(builders.log_of(own).empty());
    builders.build({own});
    const Job last = job_of(4);
    builders.build({own, last});
    REQUIRE(waits_for(builders, 2));
    CHECK(builders.built() == 2);
}

TEST_CASE("Builders end with work left, and without a device nothing is built")
{
    {
        KernelBuilders builders(worker, 2);
        std::vector<Job> jobs(40);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            jobs[i] = job_of(static_cast<int>(i));
        }
        builders.build(jobs);
    }
    KernelBuilders none(
        [] {
            return start_with_socket({TEXELSCOPE_AGENT, "--serve", "--device", "there is none"});
        },
        2);
    none.build({job_of(1)});
    CHECK(none.log_of(job_of(1)).empty());
    CHECK(none.built() == 0);
}

TEST_CASE("A job that builds its kernel alone launches nothing")
{
    Job job = crashing_job();
    job.work = JobWork::build;
    job.outputs.clear();
    IsolatedJobs jobs(worker);
    const JobResult result = jobs.run(job);
    CHECK(result.status == RunStatus::ok);
    CHECK(result.kernel_ns.empty());
    CHECK(result.footprint.largest_group > 0);
    check_result(result, job);
}
