#include "base/error.hpp"
#include "devices/jobs/job_file.hpp"
#include "devices/jobs/result_log.hpp"
#include "tests/devices/small_jobs.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <sstream>

using namespace texelscope::devices;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

std::vector<Job> jobs_in(const std::string& bytes)
{
    std::istringstream in(bytes);
    return read_jobs(in, "the file");
}

std::string complaint_about(const std::string& bytes)
{
    try {
        (void)jobs_in(bytes);
    } catch (const Error& error) {
        CHECK(error.kind() == Error::Kind::bad_input);
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return error.what();
    }
    return {};
}

ResultLog log_in(const std::string& bytes)
{
    std::istringstream in(bytes);
    return read_result_log(in, "the log");
}

} // namespace

TEST_CASE("a job file is as documented")
{
    Job job;
    job.name = "small";
    job.source = "kernel void k(...)\n";
    job.options = "-w";
    job.kernel = "k";
    job.arguments = {JobImage{2, 1, TexelType::unorm8, false, to_bytes("12345678")},
                     JobBuffer{3, true, {}}, JobLocal{64}, std::int32_t{-5}, 1.5F};
    job.global = {8, 4, 1};
    job.local = {8, 2, 1};
    job.timeout_seconds = 0.25;
    job.outputs = {1};
    const std::string expected =
        "texelscope-jobs 9\njobs 1\nend e675f32f22310bc6\n"
        "job 5\nsmall\nkernel 1\nk\noptions 2\n-w\nsource 19\nkernel void k(...)\n\n"
        "global 8 4 1\nlocal 8 2 1\nlaunches 1 5\ntimeout_us 250000\narguments 5\n"
        "image unorm8 read rgba\nsize 2 1\ncontents 8\n12345678\n"
        "buffer write\nsize 3\ncontents 0\n\nlocal 64\nint -5\nfloat_bits 1069547520\n"
        "outputs 1\nend ";
    const std::string bytes = bytes_of(std::vector<Job>{job});
    CHECK(bytes.substr(0, expected.size()) == expected);
    CHECK(bytes.size() == expected.size() + 17);
}

TEST_CASE("parts of buffers in a job file are as documented, and lie within a buffer before them")
{
    Job job = stepped_job(1);
    job.arguments[0] = JobBuffer{4096, true, {}};
    job.arguments[1] = JobBuffer{256, true, {}, {}, JobPart{0, 1024}};
    job.arguments[2] =
        JobImage{4, 2, TexelType::fp32, true, {}, 4, {}, 64, JobPart{0, 4096 - 2 * (64 + 64)}};
    const std::string bytes = bytes_of(std::vector<Job>{job});
    CHECK_THAT(bytes, Contains("buffer write\nsize 256\ncontents 0\n\npart 0 1024\n") &&
                          Contains("row_padding 64\npart 0 3840\n"));
    const Job read = jobs_in(bytes).at(0);
    CHECK((std::get<JobBuffer>(read.arguments[1]).part == JobPart{0, 1024}));
    CHECK((std::get<JobImage>(read.arguments[2]).part == JobPart{0, 3840}));
    CHECK(std::get<JobImage>(read.arguments[2]).row_padding == 64);
    const auto refuses = [&](auto change, const char* line) {
        Job wrong = job;
        change(std::get<JobBuffer>(wrong.arguments[1]), std::get<JobImage>(wrong.arguments[2]));
        CHECK_THROWS_WITH(check_job(wrong), Contains(line));
    };
    refuses([](auto&, auto& image) { image.part->offset += 1; },
            "argument 2 is a part beyond the end of its buffer");
    refuses([](auto&, auto& image) { image.row_padding += 1; },
            "argument 2 is a part beyond the end");
    refuses([](auto& buffer, auto&) { buffer.part->offset = -1; },
            "argument 1 is a part beyond the end");
    refuses([](auto&, auto& image) { image.part->buffer = 1; },
            "argument 2 is a part of what is no buffer before it");
    refuses([](auto& buffer, auto&) { buffer.part->buffer = 1; },
            "argument 1 is a part of what is no buffer before it");
    refuses([](auto& buffer, auto&) { buffer.contents.resize(256); },
            "argument 1 is a part, and has contents");
}

TEST_CASE("steps in a job file are as documented")
{
    const Job job = stepped_job(1);
    const std::string bytes = bytes_of(std::vector<Job>{job});
    CHECK_THAT(
        bytes,
        Contains("\nprograms 2\nprogram ") &&
            Contains(
                "\nsteps 3\nstep 5\ntwice\nof_program 0\nglobal 64 1 1\nlocal 8 1 1\ntakes 0 1\n"));
    const Job read = jobs_in(bytes).at(0);
    CHECK(read.programs == job.programs);
    REQUIRE(read.steps.size() == job.steps.size());
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        CHECK(read.steps[i].program == job.steps[i].program);
        CHECK(read.steps[i].kernel == job.steps[i].kernel);
        CHECK(read.steps[i].arguments == job.steps[i].arguments);
        CHECK(read.steps[i].global == job.steps[i].global);
        CHECK(read.steps[i].local == job.steps[i].local);
    }
    Job wrong = job;
    wrong.steps[1].program = 2;
    CHECK_THROWS_WITH(check_job(wrong), Contains("a step without a program"));
    wrong = job;
    wrong.steps[2].arguments[1] = 3;
    CHECK_THROWS_WITH(check_job(wrong), Contains("an argument that is not the job's"));
    wrong = job;
    wrong.steps[0].global = {63, 1, 1};
    CHECK_THROWS_WITH(check_job(wrong), Contains("no multiple of the work-group's"));
}

TEST_CASE("runs that go on from each other in a job file are as documented")
{
    const Job job = going_on_job(1);
    const std::string bytes = bytes_of(std::vector<Job>{job});
    CHECK_THAT(bytes, Contains("takes 1 3\nevery 2\n") && Contains("\nfeed 0 3\ncontents 256\n") &&
                          Contains("\nswap 1 2 1\nfetches 3\noutputs 1 3\n"));
    const Job read = jobs_in(bytes).at(0);
    CHECK(read.steps.back().every == 2);
    REQUIRE(read.feeds.size() == 1);
    CHECK(read.feeds[0].argument == 0);
    CHECK((read.feeds[0].contents == job.feeds[0].contents));
    REQUIRE(read.swaps.size() == 1);
    CHECK((read.swaps[0].first == 1 && read.swaps[0].second == 2 && read.swaps[0].every == 1));
    CHECK(read.fetches == job.fetches);
    const auto refuses = [&](auto change, const char* line) {
        Job wrong = job;
        change(wrong);
        CHECK_THROWS_WITH(check_job(wrong), Contains(line));
    };
    refuses([](Job& wrong) { wrong.warm_up = 1; }, "with a warm-up or a budget");
    refuses([](Job& wrong) { wrong.budget_seconds = 1; }, "with a warm-up or a budget");
    refuses([](Job& wrong) { wrong.steps[0].every = 0; }, "a step that is never launched");
    refuses([](Job& wrong) { wrong.feeds[0].contents[1].pop_back(); },
            "feeds argument 0 with another number of bytes");
    refuses([](Job& wrong) { wrong.feeds[0].contents.clear(); }, "with nothing");
    refuses([](Job& wrong) { wrong.feeds[0].argument = 4; }, "no image or buffer of its own");
    refuses(
        [](Job& wrong) {
            wrong.arguments[2] = JobBuffer{260, true, {}};
        },
        "swaps memories that are not alike");
    refuses([](Job& wrong) { wrong.fetches = {4}; }, "fetches what is no image or buffer");
}

TEST_CASE("a copy in a job file is as documented")
{
    Job job = copy_job_of(JobWork::copy_out, JobImage{3, 2, TexelType::uint8, false, {}, 2});
    const std::string bytes = bytes_of(std::vector<Job>{job});
    CHECK_THAT(
        bytes,
        Contains("timeout_us 10000000\ncopies out\narguments 1\nimage uint8 read rg\nsize 3 2\n"));
    CHECK(jobs_in(bytes).at(0).work == JobWork::copy_out);
    job.work = JobWork::copy_in;
    CHECK(jobs_in(bytes_of(std::vector<Job>{job})).at(0).work == JobWork::copy_in);
    job.arguments.push_back(std::int32_t{1});
    CHECK_THROWS_WITH(check_job(job), Contains("copies something other than one image or buffer"));
    job.arguments = {std::int32_t{1}};
    CHECK_THROWS_WITH(check_job(job), Contains("copies something other than one image or buffer"));
}

TEST_CASE("padding of rows and a budget are in a job file where there are some")
{
    JobImage image{64, 2, TexelType::fp32, false, {}};
    image.row_padding = 64;
    Job job;
    job.name = job.kernel = "k";
    job.source = "kernel void k(read_only image2d_t a) {}";
    job.arguments = {image};
    job.budget_seconds = 1.5;
    const std::string bytes = bytes_of(std::vector<Job>{job});
    CHECK_THAT(bytes, Contains("timeout_us 10000000\nbudget_us 1500000\narguments 1\n") &&
                          Contains("contents 0\n\nrow_padding 64\n"));
    const Job back = jobs_in(bytes).at(0);
    CHECK(back.budget_seconds == 1.5);
    CHECK(std::get<JobImage>(back.arguments[0]).row_padding == 64);
}

TEST_CASE("words in a job file are as documented")
{
    Job job = fill_job(1);
    job.arguments[0] = JobBuffer{35, false, {}, {{3, 0, {0x44434241, 0x48474645}}}};
    const std::string bytes = bytes_of(std::vector<Job>{job});
    const std::string word("\3\0\0\0\0\0\0\0ABCDEFGH", 16);
    CHECK_THAT(bytes,
               Contains("buffer read\nsize 35\ncontents 0\n\nwords 16\n" + word + "\nint 1\n"));
    CHECK((std::get<JobBuffer>(jobs_in(bytes).at(0).arguments[0]).words ==
           std::get<JobBuffer>(job.arguments[0]).words));
    // A word cut short, with checksums of its own left as they were: the length is looked at first.
    std::string cut = bytes;
    cut.replace(cut.find("words 16\n"), 9 + 16, "words 15\n" + word.substr(1));
    CHECK_THAT(complaint_about(cut), Contains("words take 16 bytes each"));
    auto& buffer = std::get<JobBuffer>(job.arguments[0]);
    buffer.words[0].place = 4; // bytes 32 to 39
    CHECK_THROWS_WITH(check_job(job), Contains("argument 0 has a word beyond its end"));
    buffer.words[0].place = 0xffffffff;
    CHECK_THROWS_WITH(check_job(job), Contains("argument 0 has a word beyond its end"));
    buffer.words[0].place = 0;
    buffer.contents.resize(35);
    CHECK_THROWS_WITH(check_job(job), Contains("argument 0 has both contents and words"));
}

TEST_CASE("a job file of version 1, whose texels are all RGBA, is still read")
{
    // As version 1 wrote it; checksums of its own.
    const std::string bytes = "texelscope-jobs 1\njobs 1\nend 0d14a2e4b2518dbe\njob "
                              "5\nsmall\nkernel 1\nk\noptions 0\n\nsource "
                              "2\nx\n\nglobal 8 4 1\nlocal 8 2 1\nlaunches 1 5\ntimeout_us "
                              "250000\narguments 1\nimage unorm8 read\nsize 2 "
                              "1\ncontents 8\n12345678\noutputs\nend 0351a6dc02cb954f\n";
    const std::vector<Job> jobs = jobs_in(bytes);
    REQUIRE(jobs.size() == 1);
    CHECK(jobs[0].work == JobWork::launch);
    const auto& image = std::get<JobImage>(jobs[0].arguments.at(0));
    CHECK(image.channels == 4);
    CHECK(image.type == TexelType::unorm8);
    CHECK(as_text(image.contents) == "12345678");
}

TEST_CASE("jobs come back from a file as they were")
{
    const auto seed = GENERATE(range(1U, 41U));
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::vector<Job> jobs;
    for (std::uint32_t i = 0; i < seed % 4; ++i) {
        jobs.push_back(random_job(random));
    }
    const std::string bytes = bytes_of(jobs);
    const std::vector<Job> back = jobs_in(bytes);
    REQUIRE(back.size() == jobs.size());
    CHECK(bytes_of(back) == bytes);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        CHECK(back[i].name == jobs[i].name);
        CHECK(back[i].work == jobs[i].work);
        CHECK(back[i].source == jobs[i].source);
        CHECK(back[i].global == jobs[i].global);
        CHECK(back[i].timeout_seconds == jobs[i].timeout_seconds);
        CHECK(back[i].outputs == jobs[i].outputs);
        CHECK(back[i].arguments.size() == jobs[i].arguments.size());
    }
}

TEST_CASE("a job file that is cut off anywhere is bad input")
{
    std::mt19937 random(7);
    const std::string bytes = bytes_of(std::vector<Job>{random_job(random), fill_job(3)});
    REQUIRE(complaint_about(bytes).empty());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        CHECK_THAT(complaint_about(bytes.substr(0, size)), Contains("the file"));
    }
    CHECK_THAT(complaint_about(bytes + "x"), Contains("goes on after the last of 2 jobs"));
}

TEST_CASE("a job file with a damaged byte is bad input, whichever it is")
{
    std::mt19937 random(8);
    const std::string bytes = bytes_of(std::vector<Job>{random_job(random), mixed_job(1)});
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        CAPTURE(at);
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
        CHECK(!complaint_about(damaged).empty());
    }
}

TEST_CASE("a count that lies takes no memory")
{
    CHECK_THAT(complaint_about(
                   "texelscope-jobs 1\njobs 1\nend 0d14a2e4b2518dbe\njob 9000000000000000000\nx"),
               Contains("ends in the middle of a block of 9000000000000000000 bytes"));
    CHECK_THAT(complaint_about("texelscope-jobs 1\njobs 1\nend 0d14a2e4b2518dbe\njob -1\nx"),
               Contains("negative size"));
    CHECK_THAT(complaint_about("texelscope-jobs 10\n"),
               Contains("of version 10, this program reads 1 to 9"));
    CHECK_THAT(complaint_about("#!/bin/sh\n"),
               Contains("'texelscope-jobs' is expected here, not '#!/bin/sh'"));
}

TEST_CASE("what no device could run is no job")
{
    const auto complaint = [](Job job) {
        CHECK_THROWS_AS(bytes_of(std::vector<Job>{job}), Error);
        try {
            check_job(job);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const Job good = mixed_job(2);
    CHECK_NOTHROW(check_job(good));
    Job job = good;
    job.local = {2, 3, 1};
    CHECK_THAT(complaint(job),
               Contains("job 'mixed 2': has work-items along x that are no multiple"));
    job = good;
    std::get<JobImage>(job.arguments[0]).contents.pop_back();
    CHECK_THAT(complaint(job), Contains("argument 0 has 1247 bytes of contents, it takes 1248"));
    job = good;
    std::get<JobImage>(job.arguments[0]).width = std::int64_t{1} << 40;
    CHECK_THAT(complaint(job), Contains("between 1 and 2^24"));
    for (const std::int64_t padding :
         {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
        job = good;
        std::get<JobImage>(job.arguments[0]).row_padding = padding;
        CHECK_THAT(complaint(job), Contains("not between 0 and 2^24 bytes apart"));
    }
    for (const int output : {-1, 5, 9}) {
        job = good;
        job.outputs = {output};
        CHECK_THAT(complaint(job), Contains("is no image or buffer"));
    }
    job = good;
    job.samples = 0;
    CHECK_THAT(complaint(job), Contains("takes no sample"));
    job = good;
    job.timeout_seconds = std::numeric_limits<double>::quiet_NaN();
    CHECK_THAT(complaint(job), Contains("time limit"));
}

TEST_CASE(
    "results come back from a log as they were, and from one that is cut off those before the cut")
{
    const auto seed = GENERATE(range(1U, 9U));
    CAPTURE(seed);
    std::mt19937 random(seed);
    ResultLogHead head;
    head.device = {
        1,   "a platform", "a device",      "a vendor", "driver 1.2", "OpenCL 3.0", true,  7,
        680, 1024,         {1024, 512, 64}, true,       16384,        8192,         32768, 1 << 30};
    head.jobs = 4;
    head.fingerprint = 0xfedcba9876543210;
    std::vector<JobResult> results;
    std::string bytes = head_record(head);
    std::vector<std::size_t> starts, ends; // bytes up to where a job is under way, and done
    for (std::int64_t i = 0; i < 3; ++i) {
        results.push_back(random_result(random));
        starts.push_back((bytes += started_record(i)).size());
        ends.push_back((bytes += result_record(i, results.back())).size());
    }
    const std::size_t head_size = head_record(head).size();
    for (std::size_t size = head_size; size <= bytes.size(); ++size) {
        const ResultLog log = log_in(bytes.substr(0, size));
        const auto done = static_cast<std::size_t>(
            std::count_if(ends.begin(), ends.end(), [&](std::size_t end) { return end <= size; }));
        CAPTURE(size, done);
        REQUIRE(log.results.size() == done);
        REQUIRE(log.under_way.has_value() == (done < 3 && starts[done] <= size));
        const std::size_t good = log.under_way ? starts[done]
                                 : done > 0    ? ends[done - 1]
                                               : head_size;
        REQUIRE(log.good_bytes == static_cast<std::int64_t>(good));
        REQUIRE(log.broken.empty() == (good == size));
        for (std::size_t i = 0; i < done; ++i) {
            REQUIRE(bytes_of(log.results[i]) == bytes_of(results[i]));
        }
    }
    const ResultLog whole = log_in(bytes);
    CHECK((whole.head->device == head.device));
    CHECK(whole.head->jobs == 4);
    CHECK(whole.head->fingerprint == head.fingerprint);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(whole.results[i].kernel_ns == results[i].kernel_ns);
        CHECK(whole.results[i].wall_clock == results[i].wall_clock);
        CHECK(whole.results[i].reference_ns == results[i].reference_ns);
        CHECK(whole.results[i].outputs == results[i].outputs);
        CHECK(whole.results[i].before.clock_hz == results[i].before.clock_hz);
        CHECK(whole.results[i].after.millidegrees == results[i].after.millidegrees);
    }
    for (std::size_t size = 1; size < head_size; ++size) {
        CHECK_THROWS_AS(log_in(bytes.substr(0, size)), Error);
    }
    CHECK_FALSE(log_in("").head.has_value());
}

TEST_CASE("a device that tells negative sizes is refused")
{
    const auto read = [](const OpenClDeviceInfo& info) {
        RecordText record;
        write_device(record, info);
        std::istringstream in(std::move(record).finished());
        RecordReader reader(in, "results");
        return read_device(reader);
    };
    OpenClDeviceInfo info;
    CHECK_NOTHROW(read(info));
    for (std::int64_t OpenClDeviceInfo::*size :
         {&OpenClDeviceInfo::image_width, &OpenClDeviceInfo::image_height,
          &OpenClDeviceInfo::part_alignment, &OpenClDeviceInfo::image_part_alignment,
          &OpenClDeviceInfo::image_row_multiple}) {
        OpenClDeviceInfo negative = info;
        negative.*size = -4;
        CHECK_THROWS_WITH(read(negative), Contains("negative size"));
    }
}

TEST_CASE("a damaged byte in a log of results costs what follows, and nothing wrong is taken for a "
          "result")
{
    std::mt19937 random(5);
    const JobResult result = random_result(random);
    ResultLogHead head;
    head.jobs = 2;
    const std::string before =
        head_record(head) + started_record(0) + result_record(0, result) + started_record(1);
    const std::string bytes = before + result_record(1, random_result(random));
    for (std::size_t at = head_record(head).size(); at < bytes.size(); ++at) {
        CAPTURE(at);
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
        const ResultLog log = log_in(damaged);
        CHECK_FALSE(log.broken.empty());
        REQUIRE(log.results.size() <= 1);
        if (at >= before.size()) {
            REQUIRE(log.results.size() == 1);
        }
        if (!log.results.empty()) {
            CHECK(bytes_of(log.results[0]) == bytes_of(result));
        }
    }
}
