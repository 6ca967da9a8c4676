// Watches a worker process. The worker tells in advance how long it may be silent (`alive`, in
// milliseconds), so a driver that hangs is told from one that takes long; a worker that is late is
// killed, and the job under way counts as timed out, or as crashed where the worker ended by
// itself.

#include "devices/runners/isolated_jobs.hpp"

#include "base/error.hpp"
#include "devices/jobs/job_file.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/jobs/result_log.hpp"
#include "devices/jobs/worker_messages.hpp"

#include <poll.h>
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
#include <utility>

namespace texelscope::devices {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = WorkerMessage::Kind;
using std::chrono::milliseconds;

OpenClDeviceInfo device_of(const WorkerMessage& opened)
{
    std::istringstream in(opened.text);
    RecordReader reader(in, "worker");
    return read_device(reader);
}

} // namespace

/// A worker process and the messages from it, with the time until the next one is due.
class IsolatedJobs::Watched {
public:
    explicit Watched(ProcessWithSocket worker) : worker_(worker) {}
    ~Watched()
    {
        if (!ended_) {
            kill(worker_.process, SIGKILL); // its driver may wait for a launch that hangs
            (void)end();
        }
        close(worker_.socket);
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    /// The result is ignored: next() notices a worker that has ended or does not take the job in
    /// time.
    void give(const Job& job, const StopToken& stop)
    {
        // While it worked on the job before, the worker may have been allowed hours of silence;
        // taking the next job must not take so long.
        constexpr std::chrono::minutes most_to_take(1);
        allow(std::min<milliseconds>(allowed_, most_to_take));
        std::ostringstream text;
        write_jobs(text, {job});
        (void)send(worker_.socket, {Kind::job, text.str()}, [&] {
            const bool taken = wait_for(POLLOUT, stop);
            if (taken) {
                allow(allowed_); // a large job is on its way
            }
            return taken;
        });
    }

    /// The worker's next message other than `alive`. Nothing if it has ended, or if neither came in
    /// time.
    std::optional<WorkerMessage> next(const StopToken& stop)
    {
        while (true) {
            auto message = messages_.next();
            if (!message) {
                if (!receive(stop)) {
                    return std::nullopt;
                }
                continue;
            }
            switch (message->kind) {
            case Kind::alive:
                allow(milliseconds(std::atoll(message->text.c_str())));
                break;
            case Kind::missing:
                throw missing(message->text);
            case Kind::bad_input:
                throw bad_input(message->text);
            default:
                return message;
            }
        }
    }

    [[nodiscard]] bool late() const { return late_; }

    /// Waits for the end of the process and describes it in words. A process that continues is
    /// killed. One that even then does not end, because a driver holds it, is abandoned after some
    /// seconds.
    std::string end()
    {
        constexpr int patience = 1000;
        ended_ = true;
        int status = 0;
        for (int i = 0; i < 5 * patience; ++i) {
            // A worker that is late will not end by itself; others have a second to do so.
            if (i == (late_ ? 0 : patience)) {
                kill(worker_.process, SIGKILL);
            }
            if (waitpid(worker_.process, &status, WNOHANG) == worker_.process) {
                return WIFSIGNALED(status)
                           ? "its process was ended by signal " + std::to_string(WTERMSIG(status)) +
                                 " (" + strsignal(WTERMSIG(status)) + ")"
                           : "its process ended with status " + std::to_string(WEXITSTATUS(status));
            }
            std::this_thread::sleep_for(milliseconds(1));
        }
        return "its process cannot be ended";
    }

private:
    void allow(milliseconds allowed)
    {
        // The worker itself notices a launch that takes too long, and needs some time to say so.
        constexpr std::chrono::seconds grace(5);
        allowed_ = allowed;
        deadline_ = Clock::now() + allowed + grace;
    }

    /// Waits until the socket has bytes to read (POLLIN) or can take some (POLLOUT). False if that
    /// takes too long.
    bool wait_for(short event, const StopToken& stop)
    {
        constexpr long long between_questions = 100;
        while (true) {
            if (stop && stop()) {
                throw Interrupted{};
            }
            const auto left =
                std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now()).count();
            if (left <= 0) {
                late_ = true;
                return false;
            }
            pollfd waiting{worker_.socket, event, 0};
            const int ready =
                poll(&waiting, 1, static_cast<int>(std::min<long long>(left, between_questions)));
            if (ready < 0 && errno != EINTR) {
                return false;
            }
            if (ready > 0) {
                return true;
            }
        }
    }

    /// Waits for bytes. False at the end of the stream, or if none came in time.
    bool receive(const StopToken& stop)
    {
        if (!wait_for(POLLIN, stop)) {
            return false;
        }
        std::array<char, 65536> bytes{};
        const ssize_t count = read(worker_.socket, bytes.data(), bytes.size());
        if (count > 0) {
            messages_.add(bytes.data(), static_cast<std::size_t>(count));
            allow(allowed_); // a large result may take several pieces; each restarts the clock
        }
        return count > 0;
    }

    ProcessWithSocket worker_;
    WorkerMessages messages_;
    milliseconds allowed_{10'000};
    Clock::time_point deadline_ = Clock::now() + std::chrono::seconds(15);
    bool late_ = false;
    bool ended_ = false;
};

IsolatedJobs::IsolatedJobs(std::function<ProcessWithSocket()> start) : start_(std::move(start)) {}

IsolatedJobs::~IsolatedJobs() = default;

const OpenClDeviceInfo& IsolatedJobs::open(const StopToken& stop)
{
    if (worker_) {
        return device_;
    }
    auto worker = std::make_unique<Watched>(start_());
    const auto opened = worker->next(stop);
    if (!opened || opened->kind != Kind::opened) {
        throw missing("the device could not be opened: " +
                          std::string(worker->late() ? "that took too long; " : "") + worker->end(),
                      {}, "check its driver, or choose another device");
    }
    device_ = device_of(*opened);
    worker_ = std::move(worker);
    return device_;
}

JobResult IsolatedJobs::run(const Job& job, const StopToken& stop)
{
    constexpr int most_workers = 3;
    std::string last_end;
    for (int workers = 0; workers < most_workers; ++workers) {
        (void)open(stop);
        // The worker is ended if this throws.
        std::unique_ptr<Watched> worker = std::exchange(worker_, nullptr);
        worker->give(job, stop);
        bool started = false;
        while (auto message = worker->next(stop)) {
            started = started || message->kind == Kind::started;
            if (message->kind == Kind::finished) {
                JobResult result = read_result_record(message->text, "worker");
                // After a timeout, opening the device again would wait for the launch.
                if (result.status != RunStatus::timed_out) {
                    worker_ = std::move(worker);
                }
                return result;
            }
        }
        if (started) {
            JobResult lost;
            lost.status = worker->late() ? RunStatus::timed_out : RunStatus::crashed;
            lost.reason = (worker->late() ? "nothing was heard of the job for too long; " : "") +
                          worker->end();
            return lost;
        }
        if (worker->late()) { // a second one would be waited for as long
            throw missing("the device opens, but does not take job '" + job.name +
                              "' in time, and its process is ended",
                          {}, "check the device's driver");
        }
        last_end = worker->end();
    }
    throw missing("the device opens, but its process ends before it takes job '" + job.name +
                      "', three times; the last: " + last_end,
                  {}, "check the device's driver");
}

std::vector<OpenClDeviceInfo> told_devices(const std::function<ProcessWithSocket()>& start,
                                           const StopToken& stop)
{
    IsolatedJobs::Watched worker(start());
    std::vector<OpenClDeviceInfo> devices;
    while (const auto message = worker.next(stop)) {
        if (message->kind == Kind::finished) {
            return devices;
        }
        devices.push_back(device_of(*message));
    }
    throw missing("the devices cannot be listed: " +
                      std::string(worker.late() ? "that took too long; " : "") + worker.end(),
                  "OpenCL",
                  "take the driver that fails out of OCL_ICD_VENDORS or /etc/OpenCL/vendors");
}

} // namespace texelscope::devices
