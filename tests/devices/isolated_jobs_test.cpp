#include "devices/jobs/opencl_device_info.hpp"
#include "devices/jobs/worker_messages.hpp"
#include "devices/runners/isolated_jobs.hpp"
#include "tests/devices/small_jobs.hpp"

#include <catch2/catch.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

using namespace texelscope::devices;
using Catch::Matchers::Contains;

namespace {

WorkerMessage opened()
{
    RecordText record;
    write_device(record, {});
    return {WorkerMessage::Kind::opened, std::move(record).finished()};
}

/// A process that tells this and then ends, or waits until the other side ends. It reads nothing.
texelscope::base::ProcessWithSocket worker_that_tells(const std::vector<WorkerMessage>& messages,
                                                      bool waits)
{
    std::array<int, 2> ends{};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const int process = fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        close(ends[0]);
        for (const WorkerMessage& message : messages) {
            (void)send(ends[1], message);
        }
        if (pollfd hung_up{ends[1], 0, 0}; waits) {
            (void)poll(&hung_up, 1, -1);
        }
        _exit(0);
    }
    close(ends[1]);
    return {process, ends[0]};
}

} // namespace

TEST_CASE("a worker that ends before it takes a job is started again, and given up after three")
{
    int started = 0;
    IsolatedJobs jobs([&] {
        ++started;
        return worker_that_tells({opened()}, false);
    });
    CHECK_THROWS_WITH(jobs.run(texelscope::test::mixed_job(1)),
                      Contains("ends before it takes job 'mixed 1', three times; the last: its "
                               "process ended with status 0"));
    CHECK(started == 3);
}

TEST_CASE("a worker that falls silent before it takes a job is not waited for again")
{
    // Takes the five seconds that a worker is granted beyond what it asks for.
    int started = 0;
    IsolatedJobs jobs([&] {
        ++started;
        return worker_that_tells({opened(), {WorkerMessage::Kind::alive, "1"}}, true);
    });
    CHECK_THROWS_WITH(jobs.run(texelscope::test::mixed_job(1)),
                      Contains("does not take job 'mixed 1' in time"));
    CHECK(started == 1);
}

TEST_CASE("a job larger than what a socket holds is given up like any other, and can be stopped")
{
    const auto silent = [] {
        return worker_that_tells({opened(), {WorkerMessage::Kind::alive, "1"}}, true);
    };
    Job large = texelscope::test::mixed_job(1);
    large.options = "-D A=" + std::string(10'000'000, '1');
    IsolatedJobs jobs(silent);
    CHECK_THROWS_WITH(jobs.run(large), Contains("does not take job"));
    int asked = 0;
    IsolatedJobs stopped(silent);
    CHECK_THROWS_AS(stopped.run(large, [&] { return ++asked > 5; }), texelscope::base::Interrupted);
}
