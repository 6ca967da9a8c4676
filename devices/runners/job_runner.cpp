// Chooses who runs jobs: an agent behind a connection, a worker process of this machine, or, where
// there is no agent's program, this very process.

#include "devices/runners/job_runner.hpp"

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/program_folder.hpp"
#include "devices/opencl/opencl_jobs.hpp"
#include "devices/runners/agent_runner.hpp"
#include "devices/runners/isolated_jobs.hpp"
#include "devices/runners/kernel_builders.hpp"
#include "devices/runners/steady_jobs.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace texelscope::devices {
namespace {

constexpr std::pair<const char*, JobPlace::Kind> kinds[] = {{"agent:", JobPlace::Kind::agent},
                                                            {"adb:", JobPlace::Kind::adb},
                                                            {"ssh:", JobPlace::Kind::ssh}};

/// Serial numbers ("emulator-5554", "192.168.1.5:5555") and hosts ("me@board.local") have no other
/// characters; as they are words of commands, none may look like an option.
bool is_address(const std::string& text)
{
    return !text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string("._-:@[]%").find(c) != std::string::npos;
    });
}

/// Runs each job by `run_job(job)`, with the pause of `cool_down` between two jobs.
template <class RunJob>
std::vector<JobResult> run_each(const std::vector<Job>& jobs, const CoolDown& cool_down,
                                const StopToken& stop, const RunJob& run_job)
{
    std::for_each(jobs.begin(), jobs.end(), check_job);
    std::vector<JobResult> results;
    for (const Job& job : jobs) {
        if (stop && stop()) {
            throw Interrupted{};
        }
        if (!results.empty()) {
            rest(cool_down);
        }
        results.push_back(run_job(job));
    }
    return results;
}

/// Runs jobs in this process, where there is no agent's program beside it. A launch cannot be
/// recalled, and it keeps its queue busy: after one that took too long the others fail until it has
/// ended.
class InProcessRunner : public JobRunner {
public:
    InProcessRunner(const std::string& device, const CoolDown& cool_down)
        : cool_down_(cool_down), jobs_(std::make_unique<OpenClJobs>(device)), device_(jobs_->info())
    {}
    ~InProcessRunner() override
    {
        if (hangs_) {
            (void)jobs_.release(); // closing the device would wait for the launch that hangs
        }
    }

    [[nodiscard]] std::vector<JobResult> run(const std::vector<Job>& jobs,
                                             const StopToken& stop) override
    {
        return run_each(jobs, cool_down_, stop, [&](const Job& job) {
            JobResult result = jobs_->run(job, [&](double /*seconds*/) {
                if (stop && stop()) {
                    throw Interrupted{};
                }
            });
            hangs_ = hangs_ || result.status == RunStatus::timed_out;
            return result;
        });
    }

    [[nodiscard]] std::optional<OpenClDeviceInfo> device() const override { return device_; }

private:
    CoolDown cool_down_;
    std::unique_ptr<OpenClJobs> jobs_;
    OpenClDeviceInfo device_;
    bool hangs_ = false;
};

/// Runs jobs in a worker, so that a driver that crashes or hangs does not take this process along.
/// Kernels are built ahead for a device that is no CPU: there, builds would change the times.
class WorkerRunner : public JobRunner {
public:
    WorkerRunner(Words agent, const std::string& device, const CoolDown& cool_down)
        : cool_down_(cool_down),
          start_([words = words_of(std::move(agent), device)] { return start_with_socket(words); }),
          jobs_(start_), device_(jobs_.open())
    {}

    [[nodiscard]] std::vector<JobResult> run(const std::vector<Job>& jobs,
                                             const StopToken& stop) override
    {
        return run_each(jobs, cool_down_, stop, [&](const Job& job) {
            std::string log = builders_ ? builders_->log_of(job, stop) : std::string();
            JobResult result = jobs_.run(job, stop);
            check_result(result, job);
            if (result.status == RunStatus::ok && !log.empty()) {
                result.build_log = std::move(log);
            }
            return result;
        });
    }

    [[nodiscard]] bool builds_ahead() const override
    {
        return !device_.cpu && processor_threads() > 1;
    }
    void build_ahead(const std::vector<Job>& jobs) override
    {
        constexpr int most = 8; // each holds memory of the device
        if (!builds_ahead()) {
            return;
        }
        if (!builders_) {
            builders_.emplace(start_, std::min(most, processor_threads() - 1));
            builders_->start();
        }
        builders_->build(jobs);
    }

    [[nodiscard]] std::optional<OpenClDeviceInfo> device() const override { return device_; }

private:
    static Words words_of(Words agent, const std::string& device)
    {
        agent.emplace_back("--serve");
        if (!device.empty()) {
            agent.insert(agent.end(), {"--device", device});
        }
        return agent;
    }

    CoolDown cool_down_;
    std::function<ProcessWithSocket()> start_;
    std::optional<KernelBuilders> builders_;
    IsolatedJobs jobs_;
    OpenClDeviceInfo device_;
};

} // namespace

JobPlace parse_job_place(const std::string& on)
{
    for (const auto& [prefix, kind] : kinds) {
        const std::string start = prefix;
        if (on.rfind(start, 0) != 0) {
            continue;
        }
        JobPlace place{kind, {}, on.substr(start.size())};
        if (kind != JobPlace::Kind::agent) {
            const std::size_t slash = place.device.find('/');
            place.address = place.device.substr(0, slash);
            place.device = slash == std::string::npos ? "" : place.device.substr(slash + 1);
            const bool only_phone = kind == JobPlace::Kind::adb && place.address.empty();
            if (!only_phone && !is_address(place.address)) {
                throw bad_input("'" + on + "' names no machine", "--on",
                                kind == JobPlace::Kind::adb
                                    ? "write adb:SERIAL, as 'adb devices' lists them"
                                    : "write ssh:HOST or ssh:USER@HOST");
            }
        }
        return place;
    }
    return {JobPlace::Kind::here, {}, on};
}

std::string to_string(const JobPlace& place)
{
    for (const auto& [prefix, kind] : kinds) {
        if (kind == place.kind) {
            const bool slash = kind != JobPlace::Kind::agent && !place.device.empty();
            return prefix + place.address + (slash ? "/" : "") + place.device;
        }
    }
    return place.device;
}

OpenClDeviceInfo device_of(JobRunner& runner)
{
    // Only an agent that has run something tells of its device.
    if (!runner.device()) {
        Job job;
        job.name = "empty";
        job.source = "kernel void empty() {}";
        job.kernel = "empty";
        (void)runner.run({job});
    }
    const auto device = runner.device();
    if (!device) {
        throw missing("the agent does not tell what device it has");
    }
    return *device;
}

std::string agents_folder(const JobRunnerOptions& options)
{
    return options.agents.empty() ? program_folder() : options.agents;
}

Words worker_command(const JobRunnerOptions& options)
{
    const std::string agent =
        options.agent.empty() ? agents_folder(options) + "/texelscope-agent" : options.agent;
    if (!std::filesystem::is_regular_file(agent)) {
        if (!options.agent.empty() || !options.opencl.empty()) {
            throw missing("there is no such file", agent, "give the agent's program with --agent");
        }
        return {};
    }
    return options.opencl.empty() ? Words{agent} : Words{agent, "--opencl", options.opencl};
}

std::vector<OpenClDeviceInfo> devices_here(const JobRunnerOptions& options, const StopToken& stop)
{
    Words command = worker_command(options);
    if (command.empty()) {
        return opencl_devices();
    }
    command.emplace_back("--serve-list");
    return told_devices([&] { return start_with_socket(command); }, stop);
}

namespace {

std::unique_ptr<JobRunner> unwatched_runner(const JobPlace& place, const JobRunnerOptions& options)
{
    if (place.kind != JobPlace::Kind::here) {
        return make_agent_runner(place, options);
    }
    if (Words command = worker_command(options); !command.empty()) {
        return std::make_unique<WorkerRunner>(std::move(command), place.device, options.cool_down);
    }
    return std::make_unique<InProcessRunner>(place.device, options.cool_down);
}

} // namespace

std::unique_ptr<JobRunner> make_job_runner(const JobPlace& place, const JobRunnerOptions& options)
{
    auto runner = unwatched_runner(place, options);
    return options.watched == WatchedDevices::none
               ? std::move(runner)
               : std::make_unique<SteadyJobs>(std::move(runner), options.watched);
}

} // namespace texelscope::devices
