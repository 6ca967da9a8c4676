// adb and ssh by programs of the same names that act on a folder of this machine, and the real adb without a phone.

#include "base/error.hpp"
#include "devices/runners/job_runner.hpp"
#include "tests/devices/small_jobs.hpp"
#include "tests/traces/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace texelscope::devices;
using namespace texelscope::test;
using Catch::Matchers::Contains;
using Status = JobResult::Status;

namespace {

// What all stand-ins share. $machine: folder that stands for the machine. run COMMAND: as its shell. If there is a file
// `drop`, the next run of the agent loses its connection once two jobs are done: with "keep" in it the agent works on,
// with "kill" it goes down too, as when the machine starts anew. After that the machine is away until somebody waits.
constexpr const char* shared_part = R"sh(#!/bin/sh
machine=$(dirname "$0")/machine
away() { [ -e "$machine/away" ]; }
run() {
    case $1 in
    *--isolate*)
        if [ -e "$machine/drop" ]; then
            what=$(cat "$machine/drop")
            rm "$machine/drop"
            (cd "$machine" && exec setsid sh -c "$1" > /dev/null 2>&1) &
            for i in $(seq 1 1500); do
                [ "$(cat "$machine"/$folder/runner-*/batch-*/results 2> /dev/null | grep -c '^status ')" -ge 2 ] && break
                sleep 0.02
            done
            if [ "$what" = kill ]; then
                kill -9 -$! # the session of its own, workers included
            fi
            touch "$machine/away"
            echo "connection reset" >&2
            exit 255
        fi ;;
    esac
    cd "$machine" && exec sh -c "$1"
}
)sh";

constexpr const char* adb_part = R"sh(
folder=data/local/tmp/texelscope
echo "$@" >> "$machine/said"
[ "$1" = -s ] && shift
[ "$1" = phone-1 ] || { echo "adb: device '$1' not found" >&2; exit 1; }
shift
case $1 in
wait-for-device) rm -f "$machine/away"; exit 0 ;;
esac
away && { echo "adb: device offline" >&2; exit 1; }
case $1 in
get-state) echo device ;;
push) cp "$2" "$machine$3" ;;
pull) cp "$machine$2" "$3" ;;
shell) run "$(echo "$2" | sed "s|'/data|'$machine/data|g")" ;;
*) echo "adb: unknown command $1" >&2; exit 1 ;;
esac
)sh";

constexpr const char* ssh_part = R"sh(
folder=.cache/texelscope
echo "$@" >> "$machine/said"
while [ "$1" = -o ]; do shift 2; done
[ "$1" = me@board ] || { echo "ssh: Could not resolve hostname $1" >&2; exit 255; }
if [ "$2" = true ] && away; then rm "$machine/away"; exit 255; fi
away && exit 255
run "$2"
)sh";

constexpr const char* scp_part = R"sh(
away && exit 255
[ "$1" = -q ] && shift
while [ "$1" = -o ]; do shift 2; done
at() { case $1 in me@board:*) echo "$machine/${1#me@board:}" ;; *) echo "$1" ;; esac; }
cp "$(at "$1")" "$(at "$2")"
)sh";

/// Stand-ins first on PATH, for as long as it lives.
class FakeMachine {
public:
    FakeMachine() : path_(std::getenv("PATH"))
    {
        std::filesystem::create_directories(folder_.file("machine/data/local/tmp"));
        for (const auto& [name, part] : {std::pair{"adb", adb_part}, {"ssh", ssh_part}, {"scp", scp_part}}) {
            std::filesystem::permissions(folder_.write(name, std::string(shared_part) + part),
                                         std::filesystem::perms::owner_all);
        }
        setenv("PATH", (folder_.file("") + ":" + path_).c_str(), 1);
    }
    ~FakeMachine() { setenv("PATH", path_.c_str(), 1); }
    FakeMachine(const FakeMachine&) = delete;
    FakeMachine& operator=(const FakeMachine&) = delete;

    void drop(const std::string& what) const { (void)folder_.write("machine/drop", what); }
    [[nodiscard]] bool dropped() const { return !std::filesystem::exists(folder_.file("machine/drop")); }
    /// Whether a runner has left anything on the machine.
    [[nodiscard]] bool is_clean() const
    {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.file("machine"))) {
            if (entry.path().filename().string().rfind("runner-", 0) == 0) {
                return false;
            }
        }
        return true;
    }

private:
    TemporaryFolder folder_;
    std::string path_;
};

JobRunnerOptions options()
{
    JobRunnerOptions options;
    options.agents = std::filesystem::path(TEXELSCOPE_AGENT).parent_path();
    options.reconnect.times = 3;
    options.reconnect.seconds = 20;
    return options;
}

std::string complaint_about(const std::string& on, const JobRunnerOptions& how)
{
    try {
        (void)make_job_runner(parse_job_place(on), how)->run({fill_job(1)});
    } catch (const Error& error) {
        CHECK(error.kind() == Error::Kind::missing);
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
    CHECK_THAT(complaint_about("adb:phone-2", options()),
               Contains("adb:phone-2: cannot be reached: adb: device 'phone-2' not found; plug the phone in"));
    CHECK_THAT(complaint_about("ssh:elsewhere", options()),
               Contains("ssh:elsewhere: cannot be reached: ssh: Could not resolve hostname elsewhere; check that"));
    JobRunnerOptions how = options();
    how.agents = "/nowhere";
    CHECK_THAT(complaint_about("adb:phone-1", how), Contains("there is no texelscope-agent in /nowhere"));
    CHECK_THAT(complaint_about("adb:phone-1/no such thing", options()), Contains("no OpenCL device fits"));
    CHECK(machine.is_clean());
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
