#include "devices/opencl/opencl_jobs.hpp"
#include "tests/devices/small_jobs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <random>

using namespace texelscope::devices;
using namespace texelscope::test;
using Catch::Matchers::Contains;
using Status = RunStatus;

TEST_CASE("jobs in this process compute what the host computes, on random values")
{
    const OpenClJobs device("pocl");
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
        CAPTURE(seed);
        const Job job = mixed_job(seed);
        const JobResult result = device.run(job);
        INFO(result.reason);
        REQUIRE(result.status == Status::ok);
        CHECK(result.kernel_ns.size() == 3);
        REQUIRE(result.enqueue_ns.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(result.kernel_ns[i] > 0);
            CHECK(result.enqueue_ns[i] > 0);
        }
        CHECK((result.outputs == mixed_outputs(job)));
    }
}

TEST_CASE("the steps of a job run in order, each with times of its own")
{
    const OpenClJobs device("pocl");
    for (const std::uint32_t seed : {1U, 2U}) {
        const Job job = stepped_job(seed);
        const JobResult result = device.run(job);
        INFO(result.reason << result.build_log);
        REQUIRE(result.status == Status::ok);
        CHECK((result.outputs.at(0) == stepped_output(job)));
        REQUIRE(result.step_ns.size() == 3);
        CHECK_NOTHROW(check_result(result, job));
        for (std::size_t sample = 0; sample < 3; ++sample) {
            double sum = 0;
            for (const std::vector<double>& times : result.step_ns) {
                REQUIRE(times.size() == 3);
                CHECK(times[sample] > 0);
                sum += times[sample];
            }
            if (!result.wall_clock) {
                CHECK(sum <= result.kernel_ns[sample]); // from the first's start to the last's end
            }
        }
    }
    Job wrong = stepped_job(1);
    wrong.steps[1].arguments.pop_back();
    CHECK_THAT(device.run(wrong).reason, Contains("takes 2 arguments, the job has 1"));
}

TEST_CASE("a reference kernel runs before the first sample and after each, and changes nothing")
{
    const OpenClJobs device("pocl");
    for (Job job : {mixed_job(3), stepped_job(3)}) {
        CHECK(device.run(job).reference_ns.empty());
        job.reference = true;
        const JobResult result = device.run(job);
        INFO(result.reason << result.build_log);
        REQUIRE(result.status == Status::ok);
        CHECK_NOTHROW(check_result(result, job));
        CHECK((result.outputs == device.run(mixed_job(3)).outputs || !job.steps.empty()));
        REQUIRE(result.reference_ns.size() == result.kernel_ns.size() + 1);
        for (const double ns : result.reference_ns) {
            CHECK(ns > 1000); // thousands of steps, of which each needs the one before
        }
    }
}

TEST_CASE(
    "runs of a job go on from each other: memories change places, and steps wait for their run")
{
    const OpenClJobs device("pocl");
    for (const std::uint32_t seed : {1U, 5U}) {
        const Job job = going_on_job(seed);
        const JobResult result = device.run(job);
        INFO(result.reason << result.build_log);
        REQUIRE(result.status == Status::ok);
        CHECK_NOTHROW(check_result(result, job));
        std::vector<float> sum(64, 0.0F), twice(64, 0.0F), fetched;
        for (int run = 0; run < job.samples; ++run) {
            std::vector<float> numbers(64);
            std::memcpy(numbers.data(),
                        job.feeds[0].contents[static_cast<std::size_t>(run) % 3].data(),
                        numbers.size() * sizeof(float));
            for (std::size_t i = 0; i < sum.size(); ++i) {
                twice[i] = run % 2 == 1 ? 2 * sum[i] : twice[i]; // of the sum before this run
                sum[i] += numbers[i];
            }
            fetched.insert(fetched.end(), twice.begin(), twice.end());
            CHECK((result.step_ns[1][static_cast<std::size_t>(run)] > 0) == (run % 2 == 1));
        }
        const auto holds = [](const std::vector<std::byte>& bytes,
                              const std::vector<float>& wanted) {
            return bytes.size() == wanted.size() * sizeof(float) &&
                   std::memcmp(bytes.data(), wanted.data(), bytes.size()) == 0;
        };
        CHECK(holds(result.outputs.at(0), sum));
        CHECK(holds(result.outputs.at(1), twice));
        CHECK(holds(result.fetched.at(0), fetched));
    }
}

TEST_CASE("parts of a buffer are its memory, each for itself")
{
    const OpenClJobs device("pocl");
    CHECK(device.info().part_alignment > 0);
    // in one buffer: what the second step reads lies behind what it writes
    Job job = stepped_job(1);
    constexpr std::int64_t apart = 4096;
    job.arguments.emplace_back(JobBuffer{2 * apart, true, {}});
    std::rotate(job.arguments.begin(), job.arguments.end() - 1, job.arguments.end());
    std::get<JobBuffer>(job.arguments[2]).part = JobPart{0, apart};
    std::get<JobBuffer>(job.arguments[3]).part = JobPart{0, 0};
    for (JobStep& step : job.steps) {
        for (int& argument : step.arguments) {
            ++argument;
        }
    }
    job.outputs = {2, 0};
    Job alone = stepped_job(1);
    const JobResult result = device.run(job);
    INFO(result.reason << result.build_log);
    REQUIRE(result.status == Status::ok);
    const std::vector<std::byte> wanted = stepped_output(alone);
    CHECK((result.outputs.at(0) == wanted));
    const std::vector<std::byte>& whole = result.outputs.at(1);
    CHECK(std::equal(wanted.begin(), wanted.end(), whole.begin() + apart));
}

/// Where a device makes images from buffers. PoCL has it since version 5.
TEST_CASE("an image made from a part of a buffer is its rows, with their padding")
{
    for (const OpenClDeviceInfo& info : opencl_devices()) {
        if (info.image_row_multiple == 0) {
            continue;
        }
        const OpenClJobs device(std::to_string(info.index));
        const std::int64_t pitch = info.image_row_multiple * 16;
        const std::int64_t offset =
            std::max({std::int64_t{4096}, info.part_alignment, info.image_part_alignment});
        Job job;
        job.name = "rows";
        job.programs = {
            "kernel void rows(write_only image2d_t image) { const int2 at = "
            "(int2)(get_global_id(0), "
            "get_global_id(1)); write_imagef(image, at, (float4)(at.x, at.y, 1.0f, 2.0f)); }"};
        job.arguments = {
            JobBuffer{offset + 3 * pitch, true, {}},
            JobImage{5, 3, TexelType::fp32, true, {}, 4, {}, pitch - 5 * 16, JobPart{0, offset}}};
        job.steps = {{0, "rows", {1}, {5, 3, 1}, {1, 1, 1}}};
        job.outputs = {0, 1};
        const JobResult result = device.run(job);
        INFO(info.name << result.reason << result.build_log);
        REQUIRE(result.status == Status::ok);
        std::vector<float> numbers(static_cast<std::size_t>(offset + 3 * pitch) / 4, 0.0F);
        std::vector<float> image;
        for (std::int64_t y = 0; y < 3; ++y) {
            for (std::int64_t x = 0; x < 5; ++x) {
                const std::vector<float> texel{static_cast<float>(x), static_cast<float>(y), 1, 2};
                std::copy(texel.begin(), texel.end(),
                          numbers.begin() + (offset + y * pitch + x * 16) / 4);
                image.insert(image.end(), texel.begin(), texel.end());
            }
        }
        CHECK(std::memcmp(result.outputs.at(0).data(), numbers.data(),
                          result.outputs.at(0).size()) == 0);
        CHECK(std::memcmp(result.outputs.at(1).data(), image.data(), result.outputs.at(1).size()) ==
              0);
    }
}

TEST_CASE("a copy brings the bytes, either way, of images and buffers")
{
    const OpenClJobs device("pocl");
    std::vector<std::byte> bytes(std::size_t{5} * 7 * 16);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(i * 37 % 251);
    }
    for (const JobArgument& argument : {JobArgument(JobImage{5, 7, TexelType::fp32, false, bytes}),
                                        JobArgument(JobBuffer{std::ssize(bytes), false, bytes})}) {
        for (const JobWork work : {JobWork::copy_in, JobWork::copy_out}) {
            const JobResult result = device.run(copy_job_of(work, argument));
            INFO(result.reason);
            REQUIRE(result.status == Status::ok);
            CHECK((result.outputs.at(0) == bytes));
            CHECK(result.kernel_ns.size() == 5);
            CHECK(result.enqueue_ns.size() == 5);
        }
    }
    Job late = copy_job_of(JobWork::copy_in, JobBuffer{1 << 26, false, {}});
    late.timeout_seconds = 1e-6;
    CHECK(device.run(late).status == Status::timed_out);
    CHECK(device.run(copy_job_of(JobWork::copy_in, JobBuffer{std::int64_t{1} << 40, false, {}}))
              .status == Status::unsupported);
}

TEST_CASE("words come to their places among zeros, in images and buffers")
{
    const OpenClJobs device("pocl");
    const auto seed = GENERATE(range(1U, 4U));
    std::mt19937 random(seed);
    const std::vector<JobArgument> arguments{JobImage{6, 7, TexelType::fp32, false, {}},
                                             JobImage{12, 3, TexelType::unorm8, false, {}},
                                             JobImage{8, 5, TexelType::fp16, false, {}},
                                             JobImage{16, 2, TexelType::uint8, false, {}},
                                             JobBuffer{8 * 29, false, {}},
                                             JobBuffer{8 * 5 + 3, true, {}}};
    for (JobArgument argument : arguments) {
        CAPTURE(seed, memory_bytes(argument));
        std::vector<std::byte> expected(static_cast<std::size_t>(memory_bytes(argument)));
        std::vector<JobWord> words;
        for (std::uint32_t place = 0; (place + 1) * 8 <= expected.size(); ++place) {
            if (random() % 3 == 0) {
                words.push_back(
                    {place,
                     0,
                     {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())}});
                std::memcpy(expected.data() + std::size_t{place} * 8, words.back().value.data(), 8);
            }
        }
        std::shuffle(words.begin(), words.end(), random);
        if (auto* image = std::get_if<JobImage>(&argument)) {
            image->words = words;
        } else {
            std::get<JobBuffer>(argument).words = words;
        }
        const JobResult result = device.run(copy_job_of(JobWork::copy_out, argument));
        INFO(result.reason);
        REQUIRE(result.status == Status::ok);
        CHECK((result.outputs.at(0) == expected));
    }
}

TEST_CASE("what a device makes of a job is its status")
{
    const OpenClJobs device("pocl");
    Job job = fill_job(3);
    job.source = "this is no kernel";
    CHECK(device.run(job).status == Status::build_failed);
    CHECK_THAT(device.run(job).reason, Contains("does not build"));
    CHECK_FALSE(device.run(job).build_log.empty());
    job = fill_job(3);
    job.kernel = "other";
    CHECK(device.run(job).status == Status::failed);
    job = fill_job(3);
    job.arguments.push_back(std::int32_t{1});
    CHECK_THAT(device.run(job).reason, Contains("takes 2 arguments, the job has 3"));
    job = fill_job(3);
    job.local = job.global = {1 << 20, 1, 1};
    CHECK(device.run(job).status == Status::unsupported);
    job = fill_job(3);
    job.arguments.push_back(JobImage{1 << 20, 1, TexelType::fp32, false, {}});
    CHECK(device.run(job).status == Status::unsupported);
    job = fill_job(3);
    job.arguments.push_back(JobLocal{std::int64_t{1} << 33});
    CHECK(device.run(job).status == Status::unsupported);
    job = fill_job(3);
    job.arguments[0] = JobBuffer{std::int64_t{1} << 40, true, {}};
    CHECK(device.run(job).status == Status::unsupported);
    CHECK(int_of(device.run(fill_job(3))) == 3);
}
