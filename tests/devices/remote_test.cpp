// adb and ssh by stand-ins, and the real adb without a phone.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/runners/job_runner.hpp"
#include "devices/runners/remote_shell.hpp"
#include "tests/devices/fake_machine.hpp"
#include "tests/devices/small_jobs.hpp"
#include "tests/devices/small_nests.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace texelscope::devices;
using namespace texelscope::test;
using Catch::Matchers::Contains;
using Status = RunStatus;

namespace {

JobRunnerOptions options()
{
    JobRunnerOptions options;
    options.agents = std::filesystem::path(TEXELSCOPE_AGENT).parent_path();
    options.reconnect.times = 3;
    options.reconnect.seconds = 20;
    return options;
}

std::string complaint_about(const std::string& on, const JobRunnerOptions& how,
                            Error::Kind kind = Error::Kind::missing)
{
    try {
        (void)make_job_runner(parse_job_place(on), how)->run({fill_job(1)});
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("jobs run behind adb and ssh")
{
    const std::string on = GENERATE("adb:phone-1/pocl", "ssh:me@board/pocl");
    CAPTURE(on);
    const FakeMachine machine;
    auto runner = make_job_runner(parse_job_place(on), options());
    const std::vector<Job> jobs{mixed_job(31), crashing_job(), fill_job(7)};
    for (int batch = 0; batch < 2; ++batch) {
        const auto results = runner->run(jobs);
        REQUIRE(results.size() == 3);
        CHECK((results[0].outputs == mixed_outputs(jobs[0])));
        CHECK(results[1].status == Status::crashed);
        REQUIRE(results[2].status == Status::ok);
        CHECK(int_of(results[2]) == 7);
    }
    REQUIRE(runner->device());
    CHECK(runner->device()->platform == "Portable Computing Language");
    CHECK(runner->device()->max_work_group > 0);
    CHECK_FALSE(machine.is_clean());
    CHECK(machine.is_private());
    runner.reset();
    CHECK(machine.is_clean());
}

TEST_CASE("a connection that drops while jobs run loses none of them")
{
    const std::string on = GENERATE("adb:phone-1/pocl", "ssh:me@board/pocl");
    CAPTURE(on);
    const FakeMachine machine;
    machine.drop("keep");
    std::vector<Job> jobs;
    for (int i = 0; i < 6; ++i) {
        jobs.push_back(i == 2 ? hanging_job(0.5) : fill_job(i));
    }
    const auto results = make_job_runner(parse_job_place(on), options())->run(jobs);
    CHECK(machine.dropped());
    REQUIRE(results.size() == 6);
    for (int i = 0; i < 6; ++i) {
        const JobResult& result = results[static_cast<std::size_t>(i)];
        CAPTURE(i, result.reason);
        CHECK(result.status == (i == 2 ? Status::timed_out : Status::ok));
        CHECK((i == 2 || int_of(result) == i));
    }
}

TEST_CASE("a machine that goes down loses the job under way alone")
{
    const FakeMachine machine;
    machine.drop("kill");
    const std::vector<Job> jobs{fill_job(0), fill_job(1), hanging_job(100), fill_job(3)};
    const auto results = make_job_runner(parse_job_place("adb:phone-1/pocl"), options())->run(jobs);
    CHECK(machine.dropped());
    REQUIRE(results.size() == 4);
    CHECK(int_of(results[0]) == 0);
    CHECK(int_of(results[1]) == 1);
    CHECK(results[2].status == Status::crashed);
    CHECK(int_of(results[3]) == 3);
}

TEST_CASE("machines that are not there are missing, with the reason and what to do")
{
    const FakeMachine machine;
    CHECK_THAT(
        complaint_about("adb:phone-2", options()),
        Contains(
            "adb:phone-2: cannot be reached: adb: device 'phone-2' not found; plug the phone in"));
    CHECK_THAT(complaint_about("ssh:elsewhere", options()),
               Contains("ssh:elsewhere: cannot be reached: ssh: Could not resolve hostname "
                        "elsewhere; check that"));
    JobRunnerOptions how = options();
    how.agents = "/nowhere";
    CHECK_THAT(complaint_about("adb:phone-1", how),
               Contains("there is no texelscope-agent in /nowhere"));
    CHECK_THAT(complaint_about("adb:phone-1/no such thing", options()),
               Contains("no OpenCL device fits"));
    CHECK(machine.is_clean());
}

TEST_CASE("adb without a serial number takes the only phone")
{
    const FakeMachine machine;
    CHECK_THAT(complaint_about("adb:", options()),
               Contains("adb: no phone is attached; plug one in, allow USB debugging"));
    machine.attach("phone-1\tdevice\nphone-2\toffline\n");
    CHECK_THAT(complaint_about("adb:/pocl", options(), Error::Kind::bad_input),
               Contains("adb: several phones are attached: phone-1, phone-2; name one, as in "
                        "--on adb:phone-1"));
    machine.attach("phone-1\tdevice\n");
    const auto results =
        make_job_runner(parse_job_place("adb:/pocl"), options())->run({fill_job(3)});
    REQUIRE(results.size() == 1);
    CHECK(int_of(results[0]) == 3);
    CHECK_THAT(machine.said(), Contains("-s phone-1 shell"));
}

TEST_CASE("a phone that does not trust this computer, and a USB device that may not be opened, "
          "have lines of their own")
{
    const FakeMachine machine;
    machine.refuse("error: device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\n"
                   "Try 'adb kill-server' if that seems wrong.\n"
                   "Otherwise check for a confirmation dialog on your device.\n");
    CHECK(complaint_about("adb:phone-1", options()) ==
          "adb:phone-1: cannot be reached: the phone does not trust this computer (unauthorized); "
          "unlock it and allow USB debugging in the dialog on its screen");
    machine.refuse("error: insufficient permissions for device: user in plugdev group; are your "
                   "udev rules wrong?\nSee [http://developer.android.com/tools/device.html] for "
                   "more information\n");
    CHECK_THAT(complaint_about("adb:phone-1", options()),
               Contains("adb:phone-1: cannot be reached: this user may not open the phone's USB "
                        "device (no permissions); install udev rules"));
}

TEST_CASE("a phone without space or permission is told at once")
{
    const FakeMachine machine;
    machine.fill("write failed: No space left on device");
    CHECK_THAT(
        complaint_about("adb:phone-1/pocl", options()),
        Contains("adb:phone-1: a file cannot be transferred, there is not enough space: adb: "
                 "error: failed to copy") &&
            Contains("No space left on device; make room there, and see that "
                     "/data/local/tmp/texelscope can be written"));
    machine.fill("couldn't create file: Permission denied");
    CHECK_THAT(complaint_about("adb:phone-1/pocl", options()),
               Contains("a file cannot be transferred, permission is denied: adb: error: failed"));
    CHECK_THAT(machine.said(), !Contains("wait-for-device"));

    CHECK(disk_complaint("cannot open: No such file or directory").empty());
    CHECK(disk_complaint("me@board: Permission denied (publickey).").empty());
    CHECK(disk_complaint("mkdir: 'x': Read-only file system\nmore") ==
          "nothing can be written: mkdir: 'x': Read-only file system");
}

TEST_CASE("What --agent and --opencl name is brought to the phone, and loaded there")
{
    const FakeMachine machine;
    JobRunnerOptions how = options();
    how.agents = "/nowhere";
    how.agent = TEXELSCOPE_AGENT;
    how.opencl = "libOpenCL.so.1";
    auto results = make_job_runner(parse_job_place("adb:phone-1/pocl"), how)->run({fill_job(3)});
    REQUIRE(results.at(0).status == Status::ok);
    CHECK_THAT(machine.said(), Contains("--opencl 'libOpenCL.so.1'") && !Contains("LD_LIBRARY"));
    results = make_job_runner(parse_job_place("pocl"), how)->run({fill_job(4)});
    CHECK(int_of(results.at(0)) == 4);

    how.opencl = "/nowhere/libOpenCL.so";
    CHECK(complaint_about("adb:phone-1", how) ==
          "adb:phone-1: texelscope-agent: no OpenCL library could be loaded (not there: "
          "/nowhere/libOpenCL.so); install a driver, or name its library with --opencl");
    CHECK_THAT(machine.said(), Contains("LD_LIBRARY_PATH='/nowhere' ../texelscope-agent "
                                        "--opencl '/nowhere/libOpenCL.so'"));
    CHECK_THAT(complaint_about("pocl", how), Contains("(not there: /nowhere/libOpenCL.so)"));

    how.opencl = machine.file("libOpenCL.so", "\x7f"
                                              "ELF\1" +
                                                  std::string(59, '\0'));
    CHECK_THAT(complaint_about("adb:phone-1", how),
               Contains("is a library of 32 bits, this agent a program of 64); build an agent of "
                        "as many bits and give it with --agent"));

    how.opencl.clear();
    how.agent = machine.file("agent", "#!/no/such/interpreter\n");
    CHECK_THAT(complaint_about("adb:phone-1", how),
               Contains("adb:phone-1: the agent cannot be started there: ") &&
                   Contains("; give one that was built for that machine with --agent"));
    how.agent = "/nowhere/agent";
    for (const char* on : {"adb:phone-1", "pocl"}) {
        CHECK_THAT(complaint_about(on, how), Contains("/nowhere/agent: there is no such file"));
    }
    how.agent.clear();
    how.opencl = "libOpenCL.so.1"; // which nothing but an agent can choose
    CHECK_THAT(complaint_about("pocl", how),
               Contains("/nowhere/texelscope-agent: there is no such file; give the agent's "
                        "program with --agent"));
}

TEST_CASE("a machine that says of itself what is no kind of machine is refused")
{
    const FakeMachine machine;
    for (const char* said : {"x/../../../../tmp/agent", "", "x86_64\nelsewhere", "\x1b[2J"}) {
        CAPTURE(said);
        machine.replace("uname", said);
        const std::string complaint = complaint_about("ssh:me@board", options());
        if (*said == '\0') {
            CHECK_THAT(complaint, Contains("there is no texelscope-agent-linux- in "));
        } else {
            CHECK_THAT(complaint, Contains("does not say what machine it is") && !Contains("\x1b"));
        }
    }
}

TEST_CASE("without adb on PATH it is missing")
{
    const TemporaryFolder empty;
    const std::string path = std::getenv("PATH");
    setenv("PATH", empty.file("").c_str(), 1);
    const std::string complaint = complaint_about("adb:phone-1", options());
    setenv("PATH", path.c_str(), 1);
    CHECK_THAT(complaint, Contains("adb: cannot be started: No such file or directory"));
}

TEST_CASE("the real adb without a phone")
{
    if (std::system("command -v adb > /dev/null 2>&1") != 0) { // NOLINT
        WARN("adb is not installed; nothing was looked at");
        return;
    }
    setenv("ANDROID_ADB_SERVER_PORT", "15037", 1); // not that of anybody's phone
    const std::string complaint = complaint_about("adb:no-such-phone", options());
    CHECK(std::system("adb kill-server > /dev/null 2>&1") == 0); // NOLINT
    unsetenv("ANDROID_ADB_SERVER_PORT");
    CHECK_THAT(complaint, Contains("adb:no-such-phone: cannot be reached: "));
    CHECK_THAT(complaint, Contains("not found"));
}

TEST_CASE("a loop nest runs behind adb, through a connection that drops, as it does here")
{
    const FakeMachine machine;
    machine.drop("keep", 1);
    const OpenClDevice there("adb:phone-1/pocl", options());
    CHECK(machine.dropped());
    const OpenClDevice here("pocl");
    CHECK(there.best_backend() == here.best_backend());
    const LoopNest nest = shifted_copy({13, 7}, {2, 1});
    const std::vector<std::vector<float>> inputs{random_texels({13, 7}, 3)};
    machine.drop("kill", 1);
    const Measurement found = there.run(nest, inputs, {.warm_up = 1, .samples = 3});
    CHECK(machine.dropped());
    CHECK(found.status == RunStatus::ok);
    CHECK(found.samples_ns.size() == 3);
    CHECK(found.output == here.run(nest, inputs, {.warm_up = 0, .samples = 1}).output);
    CHECK(found.footprint.group_multiple == here.run(nest, inputs).footprint.group_multiple);
    CHECK(there.record(nest, inputs) == here.record(nest, inputs));
}
