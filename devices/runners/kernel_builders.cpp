#include "devices/runners/kernel_builders.hpp"

#include "base/error.hpp"
#include "base/progress.hpp"
#include "devices/runners/isolated_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace texelscope::devices {
namespace {

/// What a build hangs on.
std::string text_of(const Job& job)
{
    return job.options + "\n" + job.source;
}

bool same_text(const Job& a, const Job& b)
{
    return a.source == b.source && a.options == b.options;
}

/// The job's kernel without its launch.
Job build_of(const Job& job)
{
    Job build;
    build.name = job.name;
    build.work = JobWork::build;
    build.source = job.source;
    build.options = job.options;
    build.kernel = job.kernel;
    return build;
}

} // namespace

KernelBuilders::KernelBuilders(std::function<ProcessWithSocket()> start, int processes)
    : start_(std::move(start)), processes_(processes)
{}

KernelBuilders::~KernelBuilders()
{
    {
        const std::scoped_lock lock(mutex_);
        ends_ = true;
        waiting_.clear();
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void KernelBuilders::start()
{
    while (static_cast<int>(threads_.size()) < processes_) {
        threads_.emplace_back([this] { work(); });
    }
}

void KernelBuilders::build(const std::vector<Job>& jobs)
{
    {
        const std::scoped_lock lock(mutex_);
        std::for_each(jobs.rbegin(), jobs.rend(), [&](const Job& job) {
            if (job.work == JobWork::launch && job.steps.empty() &&
                !begun_.contains(text_of(job))) {
                std::erase_if(waiting_, [&](const Job& each) { return same_text(each, job); });
                waiting_.push_front(build_of(job));
            }
        });
    }
    start();
    changed_.notify_all();
}

std::string KernelBuilders::log_of(const Job& job, const StopToken& stop)
{
    constexpr std::chrono::milliseconds between_questions(100);
    const std::string text = text_of(job);
    std::unique_lock lock(mutex_);
    std::erase_if(waiting_, [&](const Job& each) { return same_text(each, job); });
    while (begun_.contains(text) && !logs_.contains(text)) {
        check_stop(stop);
        changed_.wait_for(lock, between_questions);
    }
    begun_.insert(text); // whoever asks builds it
    return logs_.try_emplace(text).first->second;
}

std::int64_t KernelBuilders::built() const
{
    const std::scoped_lock lock(mutex_);
    return built_;
}

void KernelBuilders::work()
{
    const StopToken stop = [this] {
        const std::scoped_lock lock(mutex_);
        return ends_;
    };
    IsolatedJobs jobs(start_);
    try {
        (void)jobs.open(stop);
        while (true) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
            if (ends_) {
                return;
            }
            const Job job = std::move(waiting_.front());
            waiting_.pop_front();
            const std::string text = text_of(job);
            begun_.insert(text);
            lock.unlock();
            JobResult not_built;
            not_built.status = RunStatus::failed;
            const auto finished = [&](const JobResult& result) {
                lock.lock();
                logs_[text] = result.build_log;
                built_ += result.status == RunStatus::ok ? 1 : 0;
                changed_.notify_all();
            };
            try {
                finished(jobs.run(job, stop));
            } catch (...) {
                finished(not_built);
                throw;
            }
        }
    } catch (const Error&) {
        // The kernels are built where they run.
    } catch (const Interrupted&) {
        // This object ends.
    }
}

} // namespace texelscope::devices
