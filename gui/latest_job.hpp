#pragma once

#include <QFutureWatcher>
#include <QPromise>
#include <QThreadPool>
#include <QtConcurrentRun>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace texelscope {

/// Computes a value in the background. The latest wins: starting again cancels what is under way, whose value is
/// dropped.
template <class Value>
class LatestJob {
public:
    /// Computes; asks `stop` now and then, and gives up by any exception once it says true.
    using Work = std::function<Value(const std::function<bool()>& stop)>;
    /// In the thread that started the job: the value, or the line that says why there is none.
    using Done = std::function<void(std::optional<Value> value, const std::string& error)>;

    explicit LatestJob(Done done) : done_(std::move(done))
    {
        pool_.setMaxThreadCount(1);
        QObject::connect(&watcher_, &QFutureWatcherBase::finished, &watcher_, [this] { conclude(); });
    }
    ~LatestJob()
    {
        watcher_.disconnect();
        watcher_.cancel();
        pool_.waitForDone();
    }
    LatestJob(const LatestJob&) = delete;
    LatestJob& operator=(const LatestJob&) = delete;

    void start(Work work)
    {
        watcher_.cancel();
        watcher_.setFuture(QtConcurrent::run(&pool_, &LatestJob::run, std::move(work)));
    }

private:
    struct Outcome {
        std::optional<Value> value;
        std::string error;
    };
    static void run(QPromise<Outcome>& promise, const Work& work)
    {
        try {
            promise.addResult(Outcome{work([&] { return promise.isCanceled(); }), {}});
        } catch (const std::exception& error) {
            promise.addResult(Outcome{std::nullopt, error.what()});
        } catch (...) {
            promise.future().cancel(); // Interrupted: nobody waits for it any more
        }
    }
    void conclude()
    {
        if (!watcher_.isCanceled() && watcher_.future().resultCount() > 0) {
            Outcome outcome = watcher_.result();
            done_(std::move(outcome.value), outcome.error);
        }
    }

    Done done_;
    QThreadPool pool_; ///< one thread, so that what is superseded never competes with its successor
    QFutureWatcher<Outcome> watcher_;
};

} // namespace texelscope
