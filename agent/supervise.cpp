#include "agent/supervise.hpp"

#include "agent/messages.hpp"
#include "base/error.hpp"
#include "devices/jobs/device_record.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

namespace texelscope::agent {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = Message::Kind;

struct Worker {
    pid_t process;
    int pipe; ///< to read its messages from
};

/// What a worker's process does; never returns.
[[noreturn]] void be_worker(const WorkOrder& order, int pipe, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would take the results
    if (getppid() != parent) {
        _exit(1);
    }
    WorkReport report;
    report.alive = [&](double seconds) {
        send(pipe, Kind::alive, std::to_string(static_cast<long long>(seconds * 1000)));
    };
    report.opened = [&](const OpenClDeviceInfo& device) {
        RecordText record;
        write_device(record, device);
        send(pipe, Kind::opened, std::move(record).finished());
    };
    report.started = [&](std::int64_t) { send(pipe, Kind::started); };
    report.finished = [&](std::int64_t job, const JobResult& result) {
        send(pipe, Kind::finished, result_record(job, result));
        if (result.status == JobResult::Status::timed_out) {
            _exit(0); // closing the device would wait for the launch
        }
    };
    try {
        work(order, report);
    } catch (const Error& error) {
        send(pipe, error.kind() == Error::Kind::missing ? Kind::missing : Kind::bad_input, error.what());
    } catch (...) {
        _exit(1);
    }
    _exit(0);
}

Worker start_worker(const WorkOrder& order, ResultFile& results)
{
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        throw missing(std::string("no pipe can be made: ") + std::strerror(errno));
    }
    const pid_t parent = getpid();
    const pid_t process = fork();
    if (process < 0) {
        throw missing(std::string("no process can be started: ") + std::strerror(errno));
    }
    if (process == 0) {
        close(ends[0]);
        results.leave();
        be_worker(order, ends[1], parent);
    }
    close(ends[1]);
    return {process, ends[0]};
}

/// How the process ended, in words. One that a driver holds even when killed is left behind after some seconds.
std::string end_of(pid_t process)
{
    int status = 0;
    for (int i = 0; i < 500; ++i) {
        const pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended == process) {
            return WIFSIGNALED(status) ? "its process was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                                             strsignal(WTERMSIG(status)) + ")"
                                       : "its process ended with status " + std::to_string(WEXITSTATUS(status));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "its process cannot be ended";
}

OpenClDeviceInfo device_of(const std::string& record)
{
    std::istringstream in(record);
    RecordReader reader(in, "worker");
    return read_device(reader);
}

/// Watches one worker to its end.
class Watch {
public:
    Watch(Worker worker, ResultFile& results) : worker_(worker), results_(results) {}
    ~Watch() { close(worker_.pipe); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    void to_the_end()
    {
        try {
            while (receive()) {
                while (const auto message = messages_.next()) {
                    heed(*message);
                }
            }
        } catch (...) {
            kill(worker_.process, SIGKILL);
            (void)end_of(worker_.process);
            throw;
        }
        if (late_) {
            kill(worker_.process, SIGKILL);
        }
        conclude(end_of(worker_.process));
    }

private:
    /// Waits for bytes; false where there are no more, or none came in time.
    bool receive()
    {
        while (true) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
            pollfd waiting{worker_.pipe, POLLIN, 0};
            const int ready = left <= 0 ? 0 : poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 60'000)));
            if (ready < 0 && errno != EINTR) {
                return false;
            }
            if (ready > 0) {
                break;
            }
            if (Clock::now() >= deadline_) {
                late_ = true;
                return false;
            }
        }
        std::array<char, 65536> bytes{};
        const ssize_t count = read(worker_.pipe, bytes.data(), bytes.size());
        if (count > 0) {
            messages_.add(bytes.data(), static_cast<std::size_t>(count));
            extend(allowed_); // a large result is on its way
        }
        return count > 0;
    }

    void extend(std::chrono::milliseconds allowed)
    {
        constexpr std::chrono::seconds grace(5); // a worker tells by itself when a launch takes too long
        allowed_ = allowed;
        deadline_ = Clock::now() + allowed + grace;
    }

    void heed(const Message& message)
    {
        switch (message.kind) {
        case Kind::alive:
            extend(std::chrono::milliseconds(std::atoll(message.text.c_str())));
            break;
        case Kind::opened:
            results_.opened(device_of(message.text));
            opened_ = true;
            break;
        case Kind::started:
            results_.started();
            break;
        case Kind::finished:
            results_.finished_record(message.text);
            break;
        case Kind::missing:
            throw missing(message.text);
        case Kind::bad_input:
            throw bad_input(message.text);
        }
    }

    void conclude(const std::string& end)
    {
        if (results_.under_way()) {
            JobResult result;
            result.status = late_ ? JobResult::Status::timed_out : JobResult::Status::crashed;
            result.reason = late_ ? "nothing was heard of the job for too long; " + end : end;
            results_.finished(result);
        } else if (!opened_) {
            throw missing("the device could not be opened: " + std::string(late_ ? "that took too long; " : "") + end,
                          {}, "check its driver, or choose another device");
        }
    }

    Worker worker_;
    ResultFile& results_;
    MessageBuffer messages_;
    std::chrono::milliseconds allowed_{10'000};
    Clock::time_point deadline_ = Clock::now() + std::chrono::seconds(15);
    bool late_ = false;
    bool opened_ = false;
};

} // namespace

void supervise(WorkOrder order, ResultFile& results)
{
    int without_a_job = 0; // workers that opened the device, and ended between two jobs
    constexpr int too_many = 3;
    while (!results.done()) {
        order.first = results.next();
        Watch(start_worker(order, results), results).to_the_end();
        without_a_job = results.next() == order.first ? without_a_job + 1 : 0;
        if (without_a_job == too_many) {
            throw missing("the device opens, but the process ends before job " + std::to_string(order.first), {},
                          "check its driver");
        }
    }
}

} // namespace texelscope::agent
