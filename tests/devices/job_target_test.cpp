#include "base/averages.hpp"
#include "base/error.hpp"
#include "devices/opencl/opencl_jobs.hpp"
#include "devices/targets/job_target.hpp"
#include "devices/targets/listed_walk.hpp"
#include "devices/targets/probe_kernels.hpp"
#include "devices/targets/stream_kernel.hpp"
#include "tests/base/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

using namespace texelscope;
using namespace texelscope::devices;
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
    return {target_info(jobs->info()),
            [jobs](const std::vector<Job>& batch) { return jobs->run(batch); }};
}

} // namespace

TEST_CASE("A chase through memory of any kind ends where its walk leads")
{
    test::Random random(8);
    const OpenClJobs jobs("pocl");
    for (int i = 0; i < 12; ++i) {
        Chase chase;
        chase.memory = static_cast<MemorySpace>(i % 4);
        chase.extent = chase.memory == MemorySpace::image ? Extent2D{23, 17} : Extent2D{391, 1};
        chase.walk = different_texels(random, chase.extent,
                                      1 + static_cast<std::size_t>(random.small(0, 60)));
        const std::int64_t reads = random.between(1, 200);
        Job job = chase_job(chase, reads);
        job.samples = 1;
        const JobResult result = jobs.run(job);
        CAPTURE(i, reads, result.reason, result.build_log);
        REQUIRE(result.status == RunStatus::ok);
        const Texel end = chase.walk[static_cast<std::size_t>(reads) % chase.walk.size()];
        CHECK(ints_of(result.outputs.at(0)) == std::vector<std::int32_t>{end.x, end.y});
    }
    Chase twice;
    twice.extent = {4, 4};
    twice.walk = {{1, 1}, {2, 2}, {1, 1}};
    CHECK_THROWS_WITH(chase_job(twice, 3), Contains("occurs twice"));
}

TEST_CASE("A stream sums up what lies where its work-items pass, whatever it is")
{
    // Every read counts: were one left out, or moved out of the loop, the sums would be others.
    test::Random random(3);
    const OpenClJobs jobs("pocl");
    for (int i = 0; i < 24; ++i) {
        Stream stream;
        stream.memory = static_cast<MemorySpace>(i % 4);
        const bool image = stream.memory == MemorySpace::image;
        // PoCL has no RG
        stream.width = image ? (random.small(0, 1) == 0 ? 1 : 4) : 1 << random.small(0, 4);
        stream.elements = std::int64_t{1} << random.small(0, 7);
        stream.same = random.small(0, 1) == 1;
        stream.groups = random.small(1, 3);
        stream.local = random.small(1, 9);
        stream.reads = Stream::unroll * random.between(1, 40);
        std::vector<float> numbers(static_cast<std::size_t>(stream.elements * stream.width));
        for (float& number : numbers) {
            number = static_cast<float>(random.small(0, 9));
        }
        Job job = stream_job(stream);
        const auto contents = reinterpret_cast<const std::byte*>(numbers.data());
        std::visit(
            [&](auto& memory) {
                if constexpr (requires { memory.contents; }) {
                    memory.contents.assign(contents, contents + numbers.size() * sizeof(float));
                }
            },
            job.arguments.at(0));
        const JobResult result = jobs.run(job);
        CAPTURE(i, stream.width, stream.elements, stream.groups, stream.local, stream.reads,
                job.source, result.reason, result.build_log);
        REQUIRE(result.status == RunStatus::ok);
        std::vector<float> sums(result.outputs.at(0).size() / sizeof(float));
        std::memcpy(sums.data(), result.outputs[0].data(), sums.size() * sizeof(float));
        std::vector<float> expected;
        for (std::int64_t group = 0; group < stream.groups; ++group) {
            for (std::int64_t item = 0; item < stream.local; ++item) {
                float sum = 0;
                for (std::int64_t turn = 0; turn < stream.reads; ++turn) {
                    const std::int64_t place = group * (stream.elements / stream.groups) +
                                               (stream.same ? turn : item + turn * stream.local);
                    const std::int64_t element = place % stream.elements;
                    for (std::int64_t c = 0; c < stream.width; ++c) {
                        sum += numbers[static_cast<std::size_t>(element * stream.width + c)];
                    }
                }
                expected.push_back(sum);
            }
        }
        CHECK(sums == expected);
    }
}

TEST_CASE("A stream reads texels of every format")
{
    const OpenClJobs jobs("pocl");
    for (const TexelType type :
         {TexelType::fp32, TexelType::fp16, TexelType::unorm8, TexelType::uint8}) {
        for (const int width : {1, 2, 4}) {
            Stream stream;
            stream.memory = MemorySpace::image;
            stream.type = type;
            stream.width = width;
            stream.elements = 8;
            stream.local = 8;
            Job job = stream_job(stream);
            // One in each number: 1.0f, 1.0h, 255 of 255 and 1.
            const std::vector<std::uint8_t> one =
                type == TexelType::fp32    ? std::vector<std::uint8_t>{0, 0, 0x80, 0x3f}
                : type == TexelType::fp16  ? std::vector<std::uint8_t>{0, 0x3c}
                : type == TexelType::uint8 ? std::vector<std::uint8_t>{1}
                                           : std::vector<std::uint8_t>{255};
            auto& image = std::get<JobImage>(job.arguments.at(0));
            for (std::int64_t i = 0; i < image.width * image.height * width; ++i) {
                for (const std::uint8_t byte : one) {
                    image.contents.push_back(static_cast<std::byte>(byte));
                }
            }
            const JobResult result = jobs.run(job);
            CAPTURE(static_cast<int>(type), width, result.reason, result.build_log);
            if (width == 2) { // PoCL has no RG
                CHECK(result.status == RunStatus::unsupported);
                CHECK_THAT(result.reason, Contains("a format that the device does not have"));
                continue;
            }
            REQUIRE(result.status == RunStatus::ok);
            std::vector<float> sums(8);
            std::memcpy(sums.data(), result.outputs.at(0).data(), sums.size() * sizeof(float));
            if (type == TexelType::fp16 && width == 1) {
                // PoCL 3.1 takes single halves for other numbers: that they are read is all that
                // can be seen
                continue;
            }
            CHECK(sums == std::vector<float>(8, static_cast<float>(Stream::unroll * width)));
        }
    }
}

TEST_CASE("A stream that no kernel can be is bad input")
{
    Stream stream;
    stream.elements = 12;
    CHECK_THROWS_WITH(stream_job(stream), Contains("give a power of two"));
    stream.elements = 16;
    stream.width = 8;
    CHECK_NOTHROW(stream_job(stream));
    stream.memory = MemorySpace::image;
    CHECK_THROWS_WITH(stream_job(stream), Contains("8 numbers in a read of image"));
    stream.width = 4;
    stream.reads = 6;
    CHECK_THROWS_WITH(stream_job(stream), Contains("a multiple of 4"));
}

TEST_CASE("A listed walk reads its list, again and again, at one place or moved by whole squares "
          "at every launch")
{
    test::Random random(21);
    const OpenClJobs jobs("pocl");
    for (int i = 0; i < 9; ++i) {
        Chase chase;
        // the second is not made of squares
        chase.extent = i % 3 != 1 ? Extent2D{96, 64} : Extent2D{37, 50};
        const WalkPlace place = i % 3 == 2 ? WalkPlace::same : WalkPlace::moved;
        const int steps = random.small(1, 60);
        for (int step = 0; step < steps; ++step) { // texels may occur again
            chase.walk.push_back({random.small(0, chase.extent.width - 2),
                                  random.small(0, chase.extent.height - 1)});
        }
        const std::int64_t reads = random.between(0, 200);
        Job job = listed_walk_job(chase.extent, chase.walk, reads, place);
        job.warm_up = 0;
        job.samples = random.small(1, 4);
        // Ones instead of zeros here and there: a read moves the next by one texel, and the last
        // one the count of launches.
        std::vector<float> texels(static_cast<std::size_t>(chase.extent.area()) * 4);
        for (std::size_t t = 0; t < texels.size(); t += 4) {
            texels[t] = static_cast<float>(random.small(0, 1));
        }
        auto& image = std::get<JobImage>(job.arguments.at(0));
        image.contents.resize(texels.size() * sizeof(float));
        std::memcpy(image.contents.data(), texels.data(), image.contents.size());

        std::int32_t launches = 0;
        for (int launch = 0; launch < job.samples; ++launch) {
            const bool moves = i % 3 == 0;
            const int move_x = moves ? launches * 5 % 3 * 32 : 0;
            const int move_y = moves ? launches * (launches + 1) / 2 % 2 * 32 : 0;
            int brought = 0;
            for (std::int64_t read = 0; read < reads; ++read) {
                const Texel listed = chase.walk[static_cast<std::size_t>(read) % chase.walk.size()];
                const int x = (listed.x + move_x) % chase.extent.width + brought;
                const int y = (listed.y + move_y) % chase.extent.height;
                const bool inside = x < chase.extent.width; // what is outside reads as zeros
                brought =
                    inside ? static_cast<int>(
                                 texels[static_cast<std::size_t>(y * chase.extent.width + x) * 4])
                           : 0;
            }
            launches += 1 + brought;
        }
        const JobResult result = jobs.run(job);
        CAPTURE(i, reads, result.reason, result.build_log);
        REQUIRE(result.status == RunStatus::ok);
        CHECK(ints_of(result.outputs.at(0)) == std::vector<std::int32_t>{launches});
    }
    Chase wide;
    wide.extent = {40000, 1};
    wide.walk = {{1, 0}};
    CHECK_THROWS_WITH(listed_walk_job(wide.extent, wide.walk, 3, WalkPlace::same),
                      Contains("at most 32768"));
    const std::vector<Texel> outside{{1, 1}, {4, 1}};
    CHECK_THROWS_WITH(listed_walk_job({4, 4}, outside, 2, WalkPlace::same),
                      Contains("outside of the image"));
    CHECK_THROWS_WITH(listed_walk_job({4, 4}, {}, 0, WalkPlace::same), Contains("no texels"));
}

TEST_CASE("Every measurement of a target runs on a real device")
{
    JobTarget target = pocl_target();
    const auto positive = [](const std::vector<double>& samples, std::size_t count) {
        return samples.size() == count &&
               std::all_of(samples.begin(), samples.end(), [](double ns) { return ns > 0; });
    };
    Chase chase;
    chase.extent = {32, 32};
    chase.walk = {{1, 2}, {3, 4}, {30, 31}};
    chase.warm_passes = 2;
    chase.passes = 100;
    CHECK(positive(target.chase(chase, 3), 3));
    chase.walk.push_back(chase.walk.front());
    CHECK_THROWS_WITH(target.chase(chase, 3), Contains("occurs twice"));
    chase.route = Route::listed;
    CHECK(positive(target.chase(chase, 3), 3));
    chase.warm_passes = 0;
    CHECK(positive(target.chase(chase, 3), 3));
    CHECK(positive(target.walk({{32, 32}, {{1, 2}, {30, 31}, {1, 2}}}, 3), 3));
    CHECK_THROWS_WITH(target.walk({{32, 32}, std::vector<Texel>(100'000'000)}, 3),
                      Contains("of which a list holds"));

    ReadKernel kernel;
    kernel.launch.kernel = "reads";
    kernel.launch.images = {{.name = "data", .extent = {16, 8}, .bytes_per_texel = Bytes{16}}};
    kernel.launch.groups = {3, 1, 1};
    kernel.launch.local = {8, 2, 1};
    const auto ids = work_item_variables(kernel.launch.groups, kernel.launch.local);
    const Variable turn{slots::first_loop_slot, "turn", {0, 9}};
    kernel.launch.body = {
        Loop{turn,
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
    for (const Memory memory : {Memory::buffer, Memory::image}) {
        for (const bool to_device : {true, false}) {
            CHECK(positive(target.copy({1000, to_device, memory}, 4), 4));
            // Thousands of times the bytes take longer, however slow the machine is.
            CHECK(median(target.copy({std::int64_t{1} << 26, to_device, memory}, 3)) >
                  median(target.copy({1024, to_device, memory}, 3)));
        }
    }
}

TEST_CASE("A very long chase is warmed by launches of its own, a short one within its launch")
{
    std::vector<Job> seen;
    JobTarget target({}, [&](const std::vector<Job>& jobs) {
        seen = jobs;
        JobResult result;
        result.kernel_ns.assign(static_cast<std::size_t>(jobs.front().samples), 131072.0);
        return std::vector<JobResult>(jobs.size(), result);
    });
    Chase chase;
    chase.extent = {512, 256};
    for (int i = 0; i < 65536; ++i) {
        chase.walk.push_back({i % 256, i / 256});
    }
    chase.warm_passes = 3;
    CHECK(target.chase(chase, 9) == std::vector<double>(3, 2.0));
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].warm_up == 3);
    CHECK(std::get<std::int32_t>(seen[0].arguments.at(4)) == 65536);
    chase.walk.pop_back();
    CHECK(target.chase(chase, 9).size() == 8);
    REQUIRE(seen.size() == 2);
    CHECK(std::get<std::int32_t>(seen[0].arguments.at(4)) == 3 * 65535);
    CHECK(std::get<std::int32_t>(seen[1].arguments.at(4)) == 4 * 65535);
}

TEST_CASE("Times that are subtracted from one another are of one clock")
{
    JobTarget target({}, [](const std::vector<Job>& jobs) {
        std::vector<JobResult> results(jobs.size());
        for (std::size_t i = 0; i < results.size(); ++i) {
            const double launch = i == 0 ? 1000 : 3000; // without reads, and with a hundred
            results[i].kernel_ns = {launch};
            results[i].enqueue_ns = {launch + 10'000};
        }
        results[0].wall_clock = true; // the device's clock was too slow for it
        results[0].kernel_ns = results[0].enqueue_ns;
        return results;
    });
    Walk walk;
    walk.extent = {16, 16};
    walk.texels.resize(100);
    CHECK(target.walk(walk, 1) == std::vector<double>{20});
}

TEST_CASE("What a device refuses is said with its name")
{
    TargetInfo info;
    info.name = "the device";
    JobTarget target(info, [](const std::vector<Job>& jobs) {
        JobResult refused;
        refused.status = RunStatus::unsupported;
        refused.reason = "too large";
        return std::vector<JobResult>(jobs.size(), refused);
    });
    CHECK_THROWS_WITH(target.run(Arithmetic{}, 1),
                      Contains("the device") && Contains("unsupported: too large"));
}
