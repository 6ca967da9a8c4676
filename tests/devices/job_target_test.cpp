#include "devices/job_target.hpp"
#include "devices/opencl_jobs.hpp"
#include "devices/probe_kernels.hpp"
#include "tests/traces/random.hpp"
#include "traces/error.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

using namespace texelscope;
using Catch::Matchers::Contains;

namespace {

std::vector<Texel> different_texels(test::Random& random, Extent2D extent, std::size_t count)
{
    std::set<Texel> seen;
    std::vector<Texel> walk;
    while (walk.size() < count) {
        const Texel texel{random.small(0, extent.width - 1), random.small(0, extent.height - 1)};
        if (seen.insert(texel).second) {
            walk.push_back(texel);
        }
    }
    return walk;
}

std::vector<std::int32_t> ints_of(const std::vector<std::byte>& bytes)
{
    std::vector<std::int32_t> numbers(bytes.size() / 4);
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * 4);
    return numbers;
}

JobTarget pocl_target()
{
    const auto jobs = std::make_shared<const OpenClJobs>("pocl");
    return {target_info(jobs->info()), [jobs](const std::vector<Job>& batch) { return jobs->run(batch); }};
}

} // namespace

TEST_CASE("A chase through an image and through a buffer ends where its walk leads")
{
    test::Random random(8);
    const OpenClJobs jobs("pocl");
    for (int i = 0; i < 6; ++i) {
        Chase chase;
        chase.memory = i % 2 == 0 ? Memory::image : Memory::buffer;
        chase.extent = i % 2 == 0 ? Extent2D{23, 17} : Extent2D{391, 1};
        chase.walk = different_texels(random, chase.extent, 1 + static_cast<std::size_t>(random.small(0, 60)));
        const std::int64_t reads = random.between(1, 200);
        Job job = chase_job(chase, reads);
        job.samples = 1;
        const JobResult result = jobs.run(job);
        CAPTURE(i, reads, result.reason, result.build_log);
        REQUIRE(result.status == JobResult::Status::ok);
        const Texel end = chase.walk[static_cast<std::size_t>(reads) % chase.walk.size()];
        CHECK(ints_of(result.outputs.at(0)) == std::vector<std::int32_t>{end.x, end.y});
    }
    Chase twice;
    twice.extent = {4, 4};
    twice.walk = {{1, 1}, {2, 2}, {1, 1}};
    CHECK_THROWS_WITH(chase_job(twice, 3), Contains("occurs twice"));
}

TEST_CASE("A walk goes where its list says, however often")
{
    const OpenClJobs jobs("pocl");
    const Walk walk{{23, 17}, {{1, 2}, {22, 16}, {1, 2}, {1, 2}, {0, 16}, {22, 0}, {1, 2}}};
    for (std::size_t reads = 1; reads <= walk.texels.size(); ++reads) {
        Job job = walk_job(walk, static_cast<std::int64_t>(reads));
        job.samples = 1;
        const JobResult result = jobs.run(job);
        CAPTURE(reads, result.reason, result.build_log);
        REQUIRE(result.status == JobResult::Status::ok);
        const Texel end = walk.texels[reads - 1];
        CHECK(ints_of(result.outputs.at(0)) == std::vector<std::int32_t>{end.x, end.y});
    }
    CHECK_THROWS_WITH(walk_job({{4, 4}, {{1, 1}, {4, 1}}}, 2), Contains("outside of the image"));
    CHECK_THROWS_WITH(walk_job({{4, 4}, {}}, 0), Contains("no texels"));
}

TEST_CASE("The place of a walk's read depends on what the read before has brought")
{
    // With ones in the image, every place but the first is one further: no compiler may read ahead.
    Job job = walk_job({{8, 8}, {{1, 1}, {2, 5}, {3, 2}}}, 3);
    std::vector<float> ones(8 * 8 * 4, 1.0F);
    auto& contents = std::get<JobImage>(job.arguments[0]).contents;
    contents.resize(ones.size() * sizeof(float));
    std::memcpy(contents.data(), ones.data(), contents.size());
    const JobResult result = OpenClJobs("pocl").run(job);
    REQUIRE(result.status == JobResult::Status::ok);
    CHECK(ints_of(result.outputs.at(0)) == std::vector<std::int32_t>{3 + 1 + 1, 2 + 1 + 1});
}

TEST_CASE("Every measurement of a target runs on a real device")
{
    JobTarget target = pocl_target();
    const auto positive = [](const std::vector<double>& samples, std::size_t count) {
        return samples.size() == count && std::all_of(samples.begin(), samples.end(), [](double ns) { return ns > 0; });
    };
    Chase chase;
    chase.extent = {32, 32};
    chase.walk = {{1, 2}, {3, 4}, {30, 31}};
    chase.warm_passes = 2;
    chase.passes = 100;
    CHECK(positive(target.chase(chase, 3), 3));
    CHECK(positive(target.walk({{32, 32}, {{1, 2}, {30, 31}, {1, 2}}}, 3), 3));
    CHECK_THROWS_WITH(target.walk({{32, 32}, std::vector<Texel>(100'000'000)}, 3), Contains("bytes of local memory"));

    ReadKernel kernel;
    kernel.launch.kernel = "reads";
    kernel.launch.images = {{.name = "data", .extent = {16, 8}, .bytes_per_texel = Bytes{16}}};
    kernel.launch.groups = {3, 1, 1};
    kernel.launch.local = {8, 2, 1};
    const auto ids = work_item_variables(kernel.launch.groups, kernel.launch.local);
    const Variable turn{slots::first_loop_slot, "turn", {0, 9}};
    kernel.launch.body = {Loop{turn,
                               {AccessFunction{0, mod(IndexExpr(ids[0]) + IndexExpr(turn) + IndexExpr(ids[3]), 16),
                                               mod(IndexExpr(ids[1]) + IndexExpr(turn), 8)}}}};
    CHECK(positive(target.run(kernel, 3), 3));
    kernel.registers = 40;
    kernel.multiply_adds = 5;
    CHECK(positive(target.run(kernel, 2), 2));

    Arithmetic arithmetic;
    arithmetic.local = {8, 1, 1};
    arithmetic.turns = 100;
    for (const int width : {1, 2, 4, 8, 16}) {
        arithmetic.width = width;
        arithmetic.chains = 3;
        CHECK(positive(target.run(arithmetic, 2), 2));
    }

    std::vector<std::int32_t> order = target.arrival_order({16, 2, 1});
    std::sort(order.begin(), order.end());
    std::vector<std::int32_t> all(32);
    std::iota(all.begin(), all.end(), 0);
    CHECK(order == all);
    CHECK(positive(target.launch_overhead(3), 3));
    CHECK_THROWS_WITH(target.copy({1024, true, Memory::buffer}, 1), Contains("copies are not timed"));
}

TEST_CASE("What a device refuses is said with its name")
{
    TargetInfo info;
    info.name = "the device";
    JobTarget target(info, [](const std::vector<Job>& jobs) {
        JobResult refused;
        refused.status = JobResult::Status::unsupported;
        refused.reason = "too large";
        return std::vector<JobResult>(jobs.size(), refused);
    });
    CHECK_THROWS_WITH(target.run(Arithmetic{}, 1), Contains("the device") && Contains("unsupported: too large"));
}
