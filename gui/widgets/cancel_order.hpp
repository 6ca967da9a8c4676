#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::gui {

/// Which of several long jobs a key cancels: the one that was started last and still runs.
class CancelOrder {
public:
    /// A job was started; again, where it is known by that name.
    void started(const std::string& name, std::function<bool()> running, std::function<void()> cancel)
    {
        std::erase_if(jobs_, [&](const Job& job) { return job.name == name; });
        jobs_.push_back({name, std::move(running), std::move(cancel)});
    }
    /// False where none runs.
    bool cancel_latest()
    {
        const auto latest = std::find_if(jobs_.rbegin(), jobs_.rend(), [](const Job& job) { return job.running(); });
        if (latest == jobs_.rend()) {
            return false;
        }
        latest->cancel();
        return true;
    }
    /// Each that runs, the latest first. It may take a while until they have stopped.
    void cancel_all()
    {
        for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) {
            if (job->running()) {
                job->cancel();
            }
        }
    }

private:
    struct Job {
        std::string name;
        std::function<bool()> running;
        std::function<void()> cancel;
    };
    std::vector<Job> jobs_; ///< in the order of their last starts
};

} // namespace texelscope::gui
