#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"

#include <QString>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::gui {

/// What BackgroundJob is whatever its result: one thread, and what becomes of the work in it.
class BackgroundWork {
public:
    using AnyResult = std::shared_ptr<void>;
    using Work = std::function<AnyResult(const Progress& progress, const StopToken& stop)>;
    /// Any of them may be empty.
    template <class Result>
    struct Told {
        std::function<void(const QString& stage, double fraction)> progressed;
        std::function<void(const Result& result)> finished;
        std::function<void(const QString& line)> failed;
        std::function<void()> cancelled;
    };

    explicit BackgroundWork(Told<AnyResult> listener);
    /// Cancels, and waits until the work has stopped.
    ~BackgroundWork();
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;

    void start(Work work);
    /// Asks the work to stop where it is; what it then returns is its result. Work that has none
    /// yet ends as cancelled.
    void finish_early();
    /// Does not wait for the work, which may be in a launch that cannot be recalled; a next start
    /// does.
    void cancel();
    /// As cancel(), where what the work is for has gone: the listener is not told.
    void drop();
    /// Until the listener is told of its end: work that is done but not yet told of can be
    /// cancelled like any other.
    [[nodiscard]] bool running() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Work in the background, one piece at a time. The latest wins: starting one cancels the one
/// before, whose outcome is dropped. Each start ends in exactly one of finished, failed and
/// cancelled, unless another start takes its place. Lives in the thread of the window, where the
/// listener is called.
template <class Result>
class BackgroundJob : public BackgroundWork {
public:
    using Listener = Told<std::shared_ptr<Result>>;
    /// Runs in another thread. Ends with Interrupted once the stop token answers true; any other
    /// exception is a failure.
    using Work = std::function<Result(const Progress& progress, const StopToken& stop)>;

    explicit BackgroundJob(Listener listener)
        : BackgroundWork({std::move(listener.progressed),
                          [finished = std::move(listener.finished)](const AnyResult& result) {
                              if (finished) {
                                  finished(std::static_pointer_cast<Result>(result));
                              }
                          },
                          std::move(listener.failed), std::move(listener.cancelled)})
    {}

    void start(Work work)
    {
        BackgroundWork::start(
            [work = std::move(work)](const Progress& progress, const StopToken& stop) -> AnyResult {
                return std::make_shared<Result>(work(progress, stop));
            });
    }
};

/// Which of several long jobs a key cancels: the one that was started last and still runs.
class CancelOrder {
public:
    /// A job was started; again, where it is known by that name.
    void started(const std::string& name, std::function<bool()> running,
                 std::function<void()> cancel);
    /// The job of a part of the window, which has running() and cancel(), and a name.
    template <class Part>
    void started(Part& part)
    {
        started(
            part.objectName().toStdString(), [&part] { return part.running(); },
            [&part] { part.cancel(); });
    }
    /// False where none runs.
    bool cancel_latest();
    /// Each that runs, the latest first. It may take a while until they have stopped.
    void cancel_all();

private:
    struct Job {
        std::string name;
        std::function<bool()> running;
        std::function<void()> cancel;
    };
    std::vector<Job> jobs_; ///< in the order of their last starts
};

} // namespace texelscope::gui
