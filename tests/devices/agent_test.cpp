// texelscope-agent as a program, on PoCL.

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "devices/jobs/job_file.hpp"
#include "devices/jobs/result_log.hpp"
#include "devices/opencl/opencl_jobs.hpp"
#include "devices/runners/job_runner.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/devices/small_jobs.hpp"

#include <catch2/catch.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

using namespace texelscope::devices;
using namespace texelscope::test;
using Catch::Matchers::Contains;
using Status = RunStatus;

namespace {

/// Files of one batch.
class Batch {
public:
    explicit Batch(const std::vector<Job>& jobs) : jobs_(folder_.write("jobs", bytes_of(jobs))) {}

    /// The agent's command on this batch.
    [[nodiscard]] Words command(const Words& options) const
    {
        Words words{TEXELSCOPE_AGENT, "--device", "pocl"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {jobs_, results()});
        return words;
    }
    [[nodiscard]] ProcessOutcome run(const Words& options) const
    {
        return run_process(command(options));
    }
    [[nodiscard]] std::string results() const { return folder_.file("results"); }
    [[nodiscard]] std::string jobs() const { return jobs_; }
    [[nodiscard]] ResultLog log() const
    {
        std::ifstream in(results(), std::ios::binary);
        return read_result_log(in, results());
    }

private:
    TemporaryFolder folder_;
    std::string jobs_;
};

std::vector<Status> statuses(const std::vector<JobResult>& results)
{
    std::vector<Status> found;
    for (const JobResult& result : results) {
        found.push_back(result.status);
    }
    return found;
}

pid_t start(const Words& words)
{
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    pid_t process = -1;
    REQUIRE(posix_spawn(&process, arguments[0], nullptr, nullptr, arguments.data(), environ) == 0);
    return process;
}

/// Waits until the log says so; gives up after a minute.
template <class Condition>
bool comes_true(const Batch& batch, Condition condition)
{
    for (int i = 0; i < 6000; ++i) {
        try {
            if (condition(batch.log())) {
                return true;
            }
        } catch (const Error&) { // half a head
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

} // namespace

TEST_CASE("the agent lists devices, and says what is wrong in one line")
{
    const ProcessOutcome list = run_process({TEXELSCOPE_AGENT, "--list"});
    CHECK(list.exit_code == 0);
    CHECK_THAT(list.output, Contains("on Portable Computing Language, driver"));
    CHECK_THAT(list.output, Contains("library: "));

    const Batch batch({fill_job(1)});
    const auto says = [](const Words& words, int code, const std::string& text) {
        const ProcessOutcome outcome = run_process(words);
        CAPTURE(words, outcome.output);
        CHECK(outcome.exit_code == code);
        CHECK_THAT(outcome.output, Contains(text));
        CHECK(std::count(outcome.output.begin(), outcome.output.end(), '\n') == 1);
    };
    says({"env", "TEXELSCOPE_OPENCL=/nowhere/libOpenCL.so", TEXELSCOPE_AGENT, "--list"}, 3,
         "/nowhere/libOpenCL.so");
    says({"env", "TEXELSCOPE_OPENCL=libc.so.6", TEXELSCOPE_AGENT, "--list"}, 3,
         "is no OpenCL 1.2 library");
    for (const char* isolate : {"--resume", "--isolate"}) {
        says(
            {TEXELSCOPE_AGENT, isolate, "--device", "no such thing", batch.jobs(), batch.results()},
            3, "no OpenCL device fits");
        std::remove(batch.results().c_str());
        says({"env", "TEXELSCOPE_OPENCL=/nowhere", TEXELSCOPE_AGENT, isolate, batch.jobs(),
              batch.results()},
             3, "no OpenCL library could be loaded");
        std::remove(batch.results().c_str());
    }
    says({TEXELSCOPE_AGENT}, 2, "a file of jobs and one for their results are needed");
    says({TEXELSCOPE_AGENT, "--cool-down", "x", "a", "b"}, 2, "'x' is no number");
    says({TEXELSCOPE_AGENT, "--cool-down", "", "a", "b"}, 2, "'' is no number");
    says({TEXELSCOPE_AGENT, "--fast", "a", "b"}, 2, "unknown option");
    says({TEXELSCOPE_AGENT, "/nowhere/jobs", batch.results()}, 2, "/nowhere/jobs: cannot be read");
    says({TEXELSCOPE_AGENT, batch.jobs(), "/nowhere/results"}, 2, "cannot be written");
    says({TEXELSCOPE_AGENT, "--resume", batch.jobs(), batch.jobs()}, 2,
         "'texelscope-results' is expected");

    const TemporaryFolder folder;
    std::string bytes = bytes_of(std::vector<Job>{fill_job(1), fill_job(2)});
    bytes[bytes.size() - 40] ^= 1;
    says({TEXELSCOPE_AGENT, folder.write("damaged", bytes), batch.results()}, 2, "damaged");
    CHECK_FALSE(std::ifstream(batch.results()).good()); // nothing was run
}

TEST_CASE("the agent's results are those of this process, isolated or not")
{
    std::vector<Job> jobs;
    for (std::uint32_t seed = 11; seed < 14; ++seed) {
        jobs.push_back(mixed_job(seed));
    }
    const OpenClJobs device("pocl");
    for (const Words& options : {Words{}, Words{"--isolate"}}) {
        const Batch batch(jobs);
        const ProcessOutcome outcome = batch.run(options);
        INFO(outcome.output);
        REQUIRE(outcome.exit_code == 0);
        const ResultLog log = batch.log();
        CHECK(log.broken.empty());
        CHECK((log.head->device == device.info()));
        REQUIRE(log.results.size() == jobs.size());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            REQUIRE(log.results[i].status == Status::ok);
            CHECK((log.results[i].outputs == device.run(jobs[i]).outputs));
            CHECK((log.results[i].outputs == mixed_outputs(jobs[i])));
            CHECK(log.results[i].kernel_ns.size() == 3);
        }
        CHECK(batch.run(options).exit_code == 2); // the file holds something
        CHECK_THAT(batch.run(options).output, Contains("give --resume"));
        CHECK(batch.run({"--resume"}).exit_code == 0); // nothing is left to do
        CHECK(batch.log().good_bytes == log.good_bytes);
    }
}

TEST_CASE("isolated, a job that crashes or hangs loses nothing but itself")
{
    const Batch batch(
        {fill_job(1), crashing_job(), fill_job(2), hanging_job(0.3), crashing_job(), fill_job(3)});
    const ProcessOutcome outcome = batch.run({"--isolate"});
    INFO(outcome.output);
    REQUIRE(outcome.exit_code == 0);
    const ResultLog log = batch.log();
    CHECK((statuses(log.results) == std::vector<Status>{Status::ok, Status::crashed, Status::ok,
                                                        Status::timed_out, Status::crashed,
                                                        Status::ok}));
    REQUIRE(log.results.size() == 6);
    CHECK(int_of(log.results[0]) == 1);
    CHECK(int_of(log.results[2]) == 2);
    CHECK(int_of(log.results[5]) == 3);
    CHECK_THAT(log.results[1].reason, Contains("its process"));
    CHECK_THAT(log.results[3].reason, Contains("longer than"));
    CHECK(log.results[3].outputs.empty());
}

TEST_CASE("not isolated, the agent stops at a crash or a hang and goes on with --resume")
{
    const Batch batch({fill_job(1), crashing_job(), hanging_job(0.3), fill_job(2)});
    CHECK(batch.run({}).exit_code != 0);
    CHECK(batch.log().under_way == 1);
    const ProcessOutcome hung = batch.run({"--resume"});
    CHECK(hung.exit_code == 4);
    CHECK_THAT(hung.output, Contains("go on with --resume"));
    CHECK(batch.run({"--resume"}).exit_code == 0);
    CHECK((statuses(batch.log().results) ==
           std::vector<Status>{Status::ok, Status::crashed, Status::timed_out, Status::ok}));
}

TEST_CASE("after the agent was killed, a second call goes on after the last finished job")
{
    const bool isolate = GENERATE(false, true);
    CAPTURE(isolate);
    const Words options = isolate ? Words{"--isolate"} : Words{};
    const Batch batch({fill_job(1), mixed_job(4), hanging_job(100), fill_job(2)});
    const pid_t agent = start(batch.command(options));
    CHECK(comes_true(batch, [](const ResultLog& log) { return log.under_way == 2; }));
    kill(agent, SIGKILL);
    waitpid(agent, nullptr, 0);
    const ResultLog before = batch.log();
    CHECK(before.results.size() == 2);

    // as if killed while it wrote
    std::ofstream(batch.results(), std::ios::app) << "result 2\nstatus o";
    REQUIRE(batch.run({"--resume", "--isolate"}).exit_code == 0);
    const ResultLog after = batch.log();
    CHECK(after.broken.empty());
    REQUIRE((statuses(after.results) ==
             std::vector<Status>{Status::ok, Status::ok, Status::crashed, Status::ok}));
    CHECK(bytes_of(after.results[1]) == bytes_of(before.results[1])); // not run again
    CHECK(int_of(after.results[3]) == 2);
}

TEST_CASE("a second agent waits for the first and then has nothing to do")
{
    const Batch batch({fill_job(1), hanging_job(0.5), fill_job(2)});
    const pid_t first = start(batch.command({"--isolate"}));
    REQUIRE(comes_true(batch, [](const ResultLog& log) { return log.under_way == 1; }));
    CHECK(batch.run({"--isolate", "--resume"}).exit_code == 0);
    int status = -1;
    waitpid(first, &status, 0);
    CHECK(status == 0);
    CHECK((statuses(batch.log().results) ==
           std::vector<Status>{Status::ok, Status::timed_out, Status::ok}));
}

TEST_CASE("results of other jobs are not continued")
{
    const Batch batch({fill_job(1)}), other({fill_job(2)});
    REQUIRE(batch.run({}).exit_code == 0);
    const ProcessOutcome outcome = run_process(
        {TEXELSCOPE_AGENT, "--resume", "--device", "pocl", other.jobs(), batch.results()});
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.output, Contains("holds results of other jobs"));
}

TEST_CASE("the agent records clock and temperature, and rests while it is hot")
{
    const TemporaryFolder system;
    std::filesystem::create_directories(system.file("class/kgsl/kgsl-3d0"));
    std::filesystem::create_directories(system.file("class/thermal/thermal_zone0"));
    std::ofstream(system.file("class/kgsl/kgsl-3d0/gpuclk")) << "585000000\n";
    std::ofstream(system.file("class/thermal/thermal_zone0/temp")) << "41500\n";
    const Batch batch({fill_job(1), fill_job(2)});
    REQUIRE(
        batch.run({"--sysfs", system.file("."), "--max-temperature", "41.4", "--cool-limit", "0.3"})
            .exit_code == 0);
    const ResultLog log = batch.log();
    for (const JobResult& result : log.results) {
        CHECK(result.before.clock_hz == 585'000'000);
        CHECK(result.after.millidegrees == 41'500);
        CHECK_THAT(result.after.clock_source, Contains("kgsl-3d0/gpuclk"));
    }
}

TEST_CASE("a runner in this process and one with an agent give the same results")
{
    const std::vector<Job> jobs{mixed_job(21), fill_job(5), mixed_job(22)};
    JobRunnerOptions options;
    options.agent = TEXELSCOPE_AGENT;
    const auto here = make_job_runner(parse_job_place("pocl"), options);
    const auto agent = make_job_runner(parse_job_place("agent:pocl"), options);
    for (int batch = 0; batch < 2; ++batch) {
        const auto expected = here->run(jobs), found = agent->run(jobs);
        REQUIRE(found.size() == 3);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            CHECK(found[i].status == Status::ok);
            CHECK((found[i].outputs == expected[i].outputs));
        }
    }
    REQUIRE(agent->device());
    CHECK((*agent->device() == *here->device()));
    CHECK(agent->run({}).empty());
    CHECK((statuses(agent->run({crashing_job(), fill_job(1)})) ==
           std::vector<Status>{Status::crashed, Status::ok}));

    const auto nowhere = make_job_runner(parse_job_place("agent:no such thing"), options);
    CHECK_THROWS_WITH(nowhere->run(jobs), Contains("no OpenCL device fits"));
    options.agent = "/nowhere/agent";
    CHECK_THROWS_WITH(make_job_runner(parse_job_place("agent:"), options),
                      Contains("/nowhere/agent"));
}

TEST_CASE(
    "a launch that hangs or crashes the driver costs its own job, on a device of this machine too")
{
    JobRunnerOptions options;
    options.agent = TEXELSCOPE_AGENT;
    const auto here = make_job_runner(parse_job_place("pocl"), options);
    const std::vector<Job> jobs{fill_job(1),    hanging_job(0.3), fill_job(2),
                                crashing_job(), crashing_job(),   fill_job(3)};
    const auto results = here->run(jobs);
    CHECK((statuses(results) == std::vector<Status>{Status::ok, Status::timed_out, Status::ok,
                                                    Status::crashed, Status::crashed, Status::ok}));
    CHECK_THAT(results[3].reason, Contains("its process")); // a signal, or a sanitizer's report
    const auto later = here->run({fill_job(4)});
    REQUIRE((statuses(later) == std::vector<Status>{Status::ok}));
    CHECK(int_of(later[0]) == 4);
}

TEST_CASE("a runner is interrupted while a launch takes long, and runs the next job")
{
    JobRunnerOptions options;
    options.agent = TEXELSCOPE_AGENT;
    const auto here = make_job_runner(parse_job_place("pocl"), options);
    int asked = 0;
    const auto third_time = [&] { return ++asked >= 3; };
    CHECK_THROWS_AS(here->run({hanging_job(60)}, third_time), Interrupted);
    CHECK(int_of(here->run({fill_job(5)}).front()) == 5);
}

TEST_CASE("without an agent's program jobs run in this process, where a launch that hangs makes "
          "the others fail")
{
    JobRunnerOptions options;
    options.agents = "/nowhere";
    const auto here = make_job_runner(parse_job_place("pocl"), options);
    CHECK(int_of(here->run({fill_job(1)}).front()) == 1);
    CHECK((statuses(here->run({hanging_job(0.3), fill_job(2)})) ==
           std::vector<Status>{Status::timed_out, Status::failed}));
}
