// Runs jobs by texelscope-agent, on this machine or behind adb or ssh, in batches: the job file is
// copied there, the agent appends to a result file, and this is copied back. Every step may be
// repeated, because the connection may drop at any moment: the agent goes on behind the last job
// that has a result (--resume).

#include "devices/runners/agent_runner.hpp"

#include "base/error.hpp"
#include "base/printable_text.hpp"
#include "base/scratch_folder.hpp"
#include "devices/jobs/job_file.hpp"
#include "devices/jobs/result_log.hpp"
#include "devices/runners/attached_phones.hpp"
#include "devices/runners/remote_shell.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

namespace texelscope::devices {
namespace {

namespace fs = std::filesystem;
using Status = RunStatus;

ShellCommands commands_for(const JobPlace& place, const ScratchFolder& scratch)
{
    switch (place.kind) {
    case JobPlace::Kind::adb:
        return adb_commands(place.address.empty() ? only_phone() : place.address);
    case JobPlace::Kind::ssh:
        return ssh_commands(place.address);
    default:
        return local_commands(scratch.file("work"));
    }
}

/// How the agent is called on the place's machine: with the library that was named, if any.
/// Android's linker does not open a vendor's library by its path for every program, but searches
/// the folders of LD_LIBRARY_PATH; what the library needs lies beside it, too.
std::string agent_command(const JobPlace& place, const std::string& opencl)
{
    const std::string agent = "../texelscope-agent";
    if (opencl.empty()) {
        return agent;
    }
    const std::size_t slash = opencl.rfind('/');
    const bool searched = place.kind == JobPlace::Kind::adb && slash != std::string::npos;
    return (searched ? "LD_LIBRARY_PATH=" + quoted(opencl.substr(0, slash)) + " " : "") + agent +
           " --opencl " + quoted(opencl);
}

std::string job_options(const JobPlace& place, const CoolDown& cool_down)
{
    const auto rounded = [](double seconds) { return fmt::format("{:.3f}", seconds); };
    std::string options = " --isolate --cool-down " + rounded(cool_down.seconds) +
                          " --cool-limit " + rounded(cool_down.longest_seconds);
    if (cool_down.max_millidegrees) {
        options += " --max-temperature " +
                   rounded(static_cast<double>(*cool_down.max_millidegrees) / 1000);
    }
    return place.device.empty() ? options : options + " --device " + quoted(place.device);
}

/// SYSTEM-MACHINE of what a machine says of itself, "machine-SYSTEM-MACHINE". It becomes part of a
/// file's name here, and so has to be a word.
std::string machine_kind(const std::string& said)
{
    const std::string mark = "machine-";
    const std::size_t at = said.find(mark);
    const std::string kind = at == std::string::npos ? "" : said.substr(at + mark.size());
    constexpr const char* letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (kind.empty() || kind.find_first_not_of(letters) != std::string::npos) {
        throw missing("it does not say what machine it is: '" + printable(said) + "'", {},
                      "name the agent's file for it with --agent");
    }
    return kind;
}

class AgentRunner : public JobRunner {
public:
    AgentRunner(const JobPlace& place, const JobRunnerOptions& options)
        : shell_(commands_for(place, scratch_), options.reconnect), agent_(agent_file(options)),
          command_(agent_command(place, options.opencl)),
          options_(job_options(place, options.cool_down))
    {}

    ~AgentRunner() override { shell_.try_to("rm -rf " + folder_); }
    AgentRunner(const AgentRunner&) = delete;
    AgentRunner& operator=(const AgentRunner&) = delete;

    [[nodiscard]] std::vector<JobResult> run(const std::vector<Job>& jobs,
                                             const StopToken& stop) override
    {
        if (stop && stop()) {
            throw Interrupted{};
        }
        const std::string jobs_file = scratch_.file("jobs");
        {
            std::ofstream out(jobs_file, std::ios::binary);
            write_jobs(out, jobs);
            if (!out.flush()) {
                throw bad_input("cannot be written", jobs_file, "make room, or set TMPDIR");
            }
        }
        const std::string batch = start_batch();
        shell_.push(jobs_file, batch + "/jobs");
        // There has to be a file of results, even where the agent does not come that far.
        const std::string command = "cd " + batch + " && : >> results && " + command_ + options_;
        const std::string stopped = work(command);

        const std::string results_file = scratch_.file("results");
        shell_.pull(batch + "/results", results_file);
        return results_of(jobs, results_file, stopped);
    }

    [[nodiscard]] std::optional<OpenClDeviceInfo> device() const override { return device_; }

    [[nodiscard]] DeviceListing list()
    {
        const std::string batch = start_batch();
        const std::string command = "cd " + batch + " && " + command_ + " --describe devices";
        const RemoteShell::Answer answer = shell_.run(command, command);
        if (answer.status != 0) {
            const std::string why = not_cured_by_trying(answer);
            throw why.empty()
                ? missing("the agent ended early while it asked the drivers: " +
                              (answer.output.empty() ? "status " + std::to_string(answer.status)
                                                     : last_line(answer.output)),
                          shell_.name(), "check the driver, or name another library with --opencl")
                : missing(why, shell_.name());
        }
        const std::string file = scratch_.file("devices");
        shell_.pull(batch + "/devices", file);
        std::ifstream in(file, std::ios::binary);
        return read_listing(in, shell_.name() + ": devices");
    }

private:
    /// Why an agent that failed will fail again; empty where it may have been killed, as machines
    /// with little memory do.
    [[nodiscard]] std::string not_cured_by_trying(const RemoteShell::Answer& answer) const
    {
        const std::string said = last_line(answer.output);
        if (answer.status == 2 || answer.status == 3) { // bad input, or missing (agent/main.cpp)
            return said;
        }
        // Of a shell: the file cannot be run, or it, or the linker that it asks for, is absent.
        if (answer.status == 126 || answer.status == 127) {
            return "the agent cannot be started there: " + said +
                   "; give one that was built for that machine with --agent";
        }
        if (answer.output.find("No space left on device") != std::string::npos) {
            return disk_complaint(answer.output) + "; make room in " + shell_.folder() + " there";
        }
        return {};
    }

    /// Makes room for the next batch, in place of the last, in a folder of the runner's own, so
    /// that two programs do not meet there; brings the agent at first.
    [[nodiscard]] std::string start_batch()
    {
        const std::string last = fmt::format("{}/batch-{}", folder_, batches_);
        const std::string next = fmt::format("{}/batch-{}", folder_, ++batches_);
        (void)shell_.run_safely("rm -rf " + last + " && mkdir -p " + next);
        if (batches_ == 1) {
            shell_.push(agent_, folder_ + "/texelscope-agent");
            (void)shell_.run_safely("chmod 755 " + folder_ + "/texelscope-agent");
        }
        return next;
    }

    [[nodiscard]] std::string agent_file(const JobRunnerOptions& options) const
    {
        if (!options.agent.empty()) {
            if (!fs::is_regular_file(options.agent)) {
                throw missing("there is no such file", options.agent,
                              "give the agent's program for that machine with --agent");
            }
            return options.agent;
        }
        // Android has its own dynamic linker, and needs an agent that was built for it. A 64-bit
        // processor calls itself armv8l to programs of 32 bits.
        const std::string kind = machine_kind(last_line(
            shell_.run_safely("if [ -e /system/bin/linker64 ] || [ -e /system/bin/linker ]; "
                              "then s=android; else s=linux; fi; echo machine-$s-$(uname -m | sed "
                              "s/armv8l/armv7l/)")));
        utsname here{};
        uname(&here);
        std::string name = "texelscope-agent";
        if (kind != std::string("linux-") + here.machine) {
            name += "-" + kind;
        }
        const fs::path folder = agents_folder(options);
        if (!fs::is_regular_file(folder / name)) {
            throw missing(fmt::format("there is no {} in {}", name, folder.string()), shell_.name(),
                          "build the agent for that machine and put it there, or name its file "
                          "with --agent");
        }
        return folder / name;
    }

    /// Runs the agent to its end, which may take several starts. Empty where it did all, else why
    /// it stopped.
    [[nodiscard]] std::string work(const std::string& command) const
    {
        const std::string again = command + " --resume jobs results";
        constexpr int most_starts = 5;
        std::string output;
        for (int starts = 0; starts < most_starts; ++starts) {
            const RemoteShell::Answer answer =
                shell_.run(starts == 0 ? command + " jobs results" : again, again);
            if (answer.status == 0) {
                return {};
            }
            output = last_line(answer.output);
            if (std::string why = not_cured_by_trying(answer); !why.empty()) {
                return why;
            }
        }
        return "the agent ended early " + std::to_string(most_starts) + " times" +
               (output.empty() ? "" : ": " + output);
    }

    [[nodiscard]] std::vector<JobResult>
    results_of(const std::vector<Job>& jobs, const std::string& file, const std::string& stopped)
    {
        std::ifstream in(file, std::ios::binary);
        ResultLog log = read_result_log(in, shell_.name() + ": results");
        if (!log.broken.empty()) {
            throw bad_input(log.broken);
        }
        if (log.results.empty() && !jobs.empty()) {
            throw stopped.empty()
                ? missing("the agent has left no results", shell_.name(),
                          "try again, or look at that machine's disk and its driver")
                : missing(stopped, shell_.name());
        }
        if (log.head) {
            device_ = log.head->device;
        }
        // Jobs that the agent did not come to get a result that says why.
        log.results.resize(jobs.size(), [&] {
            JobResult not_run;
            not_run.status = Status::failed;
            not_run.reason = "not run: " + stopped;
            return not_run;
        }());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            check_result(log.results[i], jobs[i]);
        }
        return std::move(log.results);
    }

    ScratchFolder scratch_{temporary_path("texelscope")};
    RemoteShell shell_;
    std::string agent_;
    std::string command_, options_;
    std::optional<OpenClDeviceInfo> device_;
    /// There; no other has it.
    std::string folder_ = "runner-" + fs::path(scratch_.path()).filename().string();
    int batches_ = 0;
};

} // namespace

std::unique_ptr<JobRunner> make_agent_runner(const JobPlace& place, const JobRunnerOptions& options)
{
    return std::make_unique<AgentRunner>(place, options);
}

DeviceListing list_by_agent(const JobPlace& place, const JobRunnerOptions& options)
{
    return AgentRunner(place, options).list();
}

} // namespace texelscope::devices
