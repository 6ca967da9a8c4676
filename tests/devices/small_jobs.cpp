#include "tests/devices/small_jobs.hpp"

#include "devices/jobs/job_file.hpp"
#include "devices/jobs/result_log.hpp"

#include <cstring>
#include <sstream>

namespace texelscope::test {
using namespace devices;

namespace {

int below(std::mt19937& random, int limit)
{
    return static_cast<int>(random() % static_cast<std::uint32_t>(limit));
}

std::vector<std::byte> random_bytes(std::mt19937& random, std::int64_t count)
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random());
    }
    return bytes;
}

std::string random_text(std::mt19937& random, int longest)
{
    const auto bytes = random_bytes(random, below(random, longest + 1));
    return {as_text(bytes).begin(), as_text(bytes).end()};
}

std::vector<JobWord> random_words(std::mt19937& random, std::int64_t bytes)
{
    std::vector<JobWord> words;
    for (std::uint32_t place = 0; place < bytes / 8; ++place) {
        if (below(random, 3) == 0) {
            words.push_back(
                {place,
                 0,
                 {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())}});
        }
    }
    return words;
}

JobArgument random_argument(std::mt19937& random)
{
    switch (below(random, 5)) {
    case 0: {
        JobImage image{1 + below(random, 6),
                       1 + below(random, 6),
                       static_cast<TexelType>(below(random, 4)),
                       below(random, 2) == 1,
                       {},
                       1 << below(random, 3)};
        if (below(random, 2) == 1) {
            image.contents = random_bytes(random, memory_bytes(image));
        } else {
            image.words = random_words(random, memory_bytes(image));
        }
        return image;
    }
    case 1: {
        JobBuffer buffer{1 + below(random, 99), below(random, 2) == 1, {}};
        if (below(random, 2) == 1) {
            buffer.contents = random_bytes(random, buffer.bytes);
        } else {
            buffer.words = random_words(random, buffer.bytes);
        }
        return buffer;
    }
    case 2:
        return JobLocal{1 + below(random, 999)};
    case 3:
        return static_cast<std::int32_t>(random());
    default:
        return static_cast<float>(below(random, 2000) - 1000) / 7;
    }
}

/// As many bytes as the numbers have.
template <class T>
std::vector<std::byte> as_bytes_of(const std::vector<T>& numbers)
{
    std::vector<std::byte> bytes(numbers.size() * sizeof(T));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

template <class T>
std::vector<T> numbers_in(const std::vector<std::byte>& bytes)
{
    std::vector<T> numbers(bytes.size() / sizeof(T));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
    return numbers;
}

constexpr int mixed_width = 13, mixed_height = 6, mixed_group = 3;
constexpr std::size_t mixed_items = std::size_t{mixed_width} * mixed_height;

constexpr const char* mixed_source = R"(
__kernel void mixed(__read_only image2d_t full, __read_only image2d_t half_, __read_only image2d_t bytes,
                    __global const int* numbers, __local int* shared, int add, float factor,
                    __global float* sums, __write_only image2d_t written)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    const int x = get_global_id(0), y = get_global_id(1), l = get_local_id(1);
    shared[l] = numbers[y * 13 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 a = read_imagef(full, s, (int2)(x, y)) + read_imagef(half_, s, (int2)(x, y));
    const float4 b = 255.0f * read_imagef(bytes, s, (int2)(x, y));
    sums[y * 13 + x] = factor * (a.x + a.y + a.z + a.w) + rint(b.x + b.w) + (float)(shared[2 - l] + add);
    write_imagef(written, (int2)(x, y), a);
}
)";

/// Numbers that all types hold exactly, so that sums are exact in any order.
std::vector<float> small_numbers(std::mt19937& random)
{
    std::vector<float> numbers(mixed_items * 4);
    for (float& number : numbers) {
        number = static_cast<float>(below(random, 256) - 128);
    }
    return numbers;
}

/// Bits of a half of a whole number between -128 and 127.
std::uint16_t half_of(float number)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    if (number == 0) {
        return 0;
    }
    const std::uint32_t exponent = (bits >> 23 & 0xff) - 127 + 15;
    return static_cast<std::uint16_t>((bits >> 31) << 15 | exponent << 10 | (bits >> 13 & 0x3ff));
}

float number_of(std::uint16_t half)
{
    const std::uint32_t bits = half == 0 ? 0
                                         : (std::uint32_t{half} >> 15) << 31 |
                                               ((half >> 10 & 0x1fU) + 127 - 15) << 23 |
                                               (half & 0x3ffU) << 13;
    float number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

Job int_job(const std::string& name, const std::string& body)
{
    Job job;
    job.name = name;
    job.kernel = "act";
    job.source = "__kernel void act(__global volatile int* out, int value) { " + body + " }";
    job.arguments = {JobBuffer{4, true, {}}, std::int32_t{0}};
    job.warm_up = 0;
    job.samples = 1;
    job.timeout_seconds = 60;
    job.outputs = {0};
    return job;
}

} // namespace

std::string bytes_of(const std::vector<Job>& jobs)
{
    std::ostringstream out;
    write_jobs(out, jobs);
    return out.str();
}

std::string bytes_of(const JobResult& result)
{
    return result_record(0, result);
}

Job stepped_job(std::uint32_t seed)
{
    constexpr int count = 64;
    std::mt19937 random(seed);
    std::vector<std::byte> first(count * sizeof(float));
    for (int i = 0; i < count; ++i) {
        const auto number = static_cast<float>(below(random, 100));
        std::memcpy(first.data() + static_cast<std::size_t>(i) * sizeof number, &number,
                    sizeof number);
    }
    const auto bytes = static_cast<std::int64_t>(first.size());
    Job job;
    job.name = "steps";
    job.programs = {"kernel void twice(global const float *a, global float *b)\n"
                    "{ const int i = get_global_id(0); b[i] = 2.0f * a[i]; }\n",
                    "kernel void next(global const float *a, global float *b)\n"
                    "{ const int i = get_global_id(0); b[i] = a[(i + 1) % 64] + 1.0f; }\n"};
    job.arguments = {JobBuffer{bytes, false, first}, JobBuffer{bytes, true, {}},
                     JobBuffer{bytes, true, {}}};
    job.steps = {{0, "twice", {0, 1}, {count, 1, 1}, {8, 1, 1}},
                 {1, "next", {1, 2}, {count, 1, 1}, {16, 1, 1}},
                 {0, "twice", {2, 1}, {count, 1, 1}, {8, 1, 1}}};
    job.samples = 3;
    job.outputs = {1};
    return job;
}

Job going_on_job(std::uint32_t seed)
{
    Job job = stepped_job(seed);
    job.name = "going on";
    job.programs = {
        "kernel void add(global const float *a, global const float *sum, global float *next)\n"
        "{ const int i = get_global_id(0); next[i] = a[i] + sum[i]; }\n"
        "kernel void twice(global const float *a, global float *b)\n"
        "{ const int i = get_global_id(0); b[i] = 2.0f * a[i]; }\n"};
    const std::int64_t bytes = memory_bytes(job.arguments[0]);
    const std::vector<std::byte> zeros(static_cast<std::size_t>(bytes));
    job.arguments = {JobBuffer{bytes, false, zeros}, JobBuffer{bytes, true, zeros},
                     JobBuffer{bytes, true, zeros}, JobBuffer{bytes, true, zeros}};
    job.steps = {{0, "add", {0, 1, 2}, {64, 1, 1}, {8, 1, 1}},
                 {0, "twice", {1, 3}, {64, 1, 1}, {8, 1, 1}, 2}};
    job.warm_up = 0;
    job.samples = 7;
    for (std::uint32_t round = 0; round < 3; ++round) {
        JobFeed& feed = round == 0 ? job.feeds.emplace_back() : job.feeds.front();
        feed.contents.push_back(
            std::get<JobBuffer>(stepped_job(seed + round).arguments[0]).contents);
    }
    job.swaps = {{1, 2, 1}};
    job.fetches = {3};
    job.outputs = {1, 3};
    return job;
}

std::vector<std::byte> stepped_output(const Job& job)
{
    std::vector<float> numbers(64);
    std::memcpy(numbers.data(), std::get<JobBuffer>(job.arguments[0]).contents.data(),
                numbers.size() * sizeof(float));
    std::vector<float> out;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        out.push_back(2.0F * (2.0F * numbers[(i + 1) % numbers.size()] + 1.0F));
    }
    std::vector<std::byte> bytes(out.size() * sizeof(float));
    std::memcpy(bytes.data(), out.data(), bytes.size());
    return bytes;
}

Job random_job(std::mt19937& random)
{
    Job job;
    job.name = random_text(random, 9);
    job.source = "x" + random_text(random, 200);
    job.options = random_text(random, 20);
    job.kernel = "k" + random_text(random, 9);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        job.local[axis] = 1 + below(random, 8);
        job.global[axis] = job.local[axis] * (1 + below(random, 8));
    }
    job.warm_up = below(random, 4);
    job.samples = 1 + below(random, 9);
    job.reference = below(random, 2) == 1;
    job.timeout_seconds = (1 + below(random, 9'999'999)) / 1e6;
    if (below(random, 4) == 0) {
        job.work = below(random, 2) == 0 ? JobWork::copy_in : JobWork::copy_out;
        job.source.clear();
        job.kernel.clear();
        job.arguments.emplace_back(JobBuffer{1 + below(random, 99), false, {}});
        return job;
    }
    if (below(random, 8) == 0) {
        job.work = JobWork::build;
    }
    for (int count = below(random, 6); count > 0; --count) {
        job.arguments.push_back(random_argument(random));
        if (job.work != JobWork::build && job.arguments.back().index() < 2 &&
            below(random, 2) == 1) {
            job.outputs.push_back(static_cast<int>(job.arguments.size()) - 1);
        }
    }
    return job;
}

JobResult random_result(std::mt19937& random)
{
    JobResult result;
    result.status = static_cast<RunStatus>(below(random, 5));
    result.reason = random_text(random, 30);
    for (int count = below(random, 9); count > 0; --count) {
        result.kernel_ns.push_back(static_cast<double>(random()));
        result.enqueue_ns.push_back(static_cast<double>(random()) * 1000);
    }
    result.step_ns.assign(static_cast<std::size_t>(below(random, 3)), result.kernel_ns);
    result.wall_clock = below(random, 2) == 1;
    for (int count = below(random, 4); count > 0; --count) {
        result.reference_ns.push_back(static_cast<double>(random()));
    }
    for (int count = below(random, 3); count > 0; --count) {
        result.outputs.push_back(random_bytes(random, below(random, 300)));
    }
    result.build_log = random_text(random, 90);
    for (Conditions* conditions : {&result.before, &result.after}) {
        if (below(random, 2) == 1) {
            conditions->clock_hz = random();
            conditions->clock_source = random_text(random, 30);
        }
        if (below(random, 2) == 1) {
            conditions->millidegrees = below(random, 90'000) - 10'000;
            conditions->temperature_source = random_text(random, 30);
        }
    }
    return result;
}

Job mixed_job(std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<std::uint16_t> halves;
    for (const float number : small_numbers(random)) {
        halves.push_back(half_of(number));
    }
    std::vector<std::int32_t> numbers(mixed_items);
    for (std::int32_t& number : numbers) {
        number = below(random, 2000) - 1000;
    }
    Job job;
    job.name = "mixed " + std::to_string(seed);
    job.kernel = "mixed";
    job.source = mixed_source;
    job.arguments = {
        JobImage{mixed_width, mixed_height, TexelType::fp32, false,
                 as_bytes_of(small_numbers(random))},
        JobImage{mixed_width, mixed_height, TexelType::fp16, false, as_bytes_of(halves)},
        JobImage{mixed_width, mixed_height, TexelType::unorm8, false,
                 random_bytes(random, mixed_items * 4)},
        JobBuffer{mixed_items * 4, false, as_bytes_of(numbers)},
        JobLocal{mixed_group * 4},
        std::int32_t{below(random, 100)},
        static_cast<float>(below(random, 9) - 4) / 4,
        JobBuffer{mixed_items * 4, true, {}},
        JobImage{mixed_width, mixed_height, TexelType::fp32, true, {}}};
    job.global = {mixed_width, mixed_height, 1};
    job.local = {1, mixed_group, 1};
    job.warm_up = 1;
    job.samples = 3;
    job.timeout_seconds = 60;
    job.outputs = {8, 7};
    return job;
}

std::vector<std::vector<std::byte>> mixed_outputs(const Job& job)
{
    const auto full = numbers_in<float>(std::get<JobImage>(job.arguments[0]).contents);
    const auto halves = numbers_in<std::uint16_t>(std::get<JobImage>(job.arguments[1]).contents);
    const auto bytes = numbers_in<std::uint8_t>(std::get<JobImage>(job.arguments[2]).contents);
    const auto numbers = numbers_in<std::int32_t>(std::get<JobBuffer>(job.arguments[3]).contents);
    const auto add = std::get<std::int32_t>(job.arguments[5]);
    const auto factor = std::get<float>(job.arguments[6]);
    std::vector<float> sums, written;
    for (std::size_t i = 0; i < mixed_items; ++i) {
        float sum = 0;
        for (std::size_t c = 0; c < 4; ++c) {
            written.push_back(full[4 * i + c] + number_of(halves[4 * i + c]));
            sum += written.back();
        }
        const std::size_t y = i / mixed_width, l = y % mixed_group;
        const std::size_t partner = i + (mixed_group - 1 - l) * mixed_width - l * mixed_width;
        sums.push_back(factor * sum + static_cast<float>(bytes[4 * i] + bytes[4 * i + 3]) +
                       static_cast<float>(numbers[partner] + add));
    }
    return {as_bytes_of(written), as_bytes_of(sums)};
}

Job fill_job(std::int32_t value)
{
    Job job = int_job("fill " + std::to_string(value), "out[0] = value;");
    job.arguments[1] = value;
    return job;
}

Job copy_job_of(JobWork work, JobArgument argument)
{
    Job job;
    job.name = "copy";
    job.work = work;
    job.arguments = {std::move(argument)};
    job.outputs = {0};
    return job;
}

Job crashing_job()
{
    return int_job("crash", "*(__global volatile int*)(size_t)(8 + value) = 1; out[0] = 1;");
}

Job hanging_job(double timeout_seconds)
{
    Job job = int_job("hang", "while (out[0] == value) { }");
    job.timeout_seconds = timeout_seconds;
    return job;
}

std::int32_t int_of(const JobResult& result)
{
    return numbers_in<std::int32_t>(result.outputs.at(0)).at(0);
}

} // namespace texelscope::test
