#pragma once

#include "experiments/study/launch_result.hpp"

#include <QFutureWatcher>
#include <QPromise>
#include <QString>
#include <QThreadPool>
#include <QtConcurrentRun>
#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace texelscope::gui {

/// Work in the background, one piece at a time. The latest wins: starting one cancels the one before, whose outcome is
/// dropped. Each start ends in exactly one of finished, failed and cancelled, unless another start takes its place. Lives
/// in the thread of the window, where the listener is called.
template <class Result>
class BackgroundJob {
public:
    struct Listener {
        std::function<void(const QString& stage, double fraction)> progressed;
        std::function<void(const std::shared_ptr<Result>& result)> finished;
        std::function<void(const QString& line)> failed;
        std::function<void()> cancelled;
    };
    /// Runs in another thread. Ends with Interrupted once the stop token answers true; any other exception is a failure.
    using Work = std::function<Result(const Progress& progress, const StopToken& stop)>;

    explicit BackgroundJob(Listener listener) : listener_(std::move(listener))
    {
        pool_.setMaxThreadCount(1);
        QObject::connect(&watcher_, &QFutureWatcherBase::finished, &watcher_, [this] { conclude(); });
        QObject::connect(&watcher_, &QFutureWatcherBase::progressValueChanged, &watcher_, [this](int value) {
            if (value >= begun && !watcher_.isCanceled()) {
                listener_.progressed(watcher_.progressText(), static_cast<double>(value - begun) / steps);
            }
        });
    }
    /// Cancels, and waits until the work has stopped.
    ~BackgroundJob()
    {
        watcher_.disconnect();
        watcher_.cancel();
        pool_.waitForDone();
    }
    BackgroundJob(const BackgroundJob&) = delete;
    BackgroundJob& operator=(const BackgroundJob&) = delete;

    void start(Work work)
    {
        watcher_.cancel();
        running_ = true;
        dropped_ = false;
        early_ = std::make_shared<std::atomic<bool>>(false);
        watcher_.setFuture(QtConcurrent::run(
            &pool_, [work = std::move(work), early = early_](QPromise<std::shared_ptr<Outcome>>& promise) {
                carry_out(promise, work, *early);
            }));
    }
    /// Asks the work to stop where it is; what it then returns is its result. Work that has none yet ends as cancelled.
    void finish_early()
    {
        if (running()) {
            *early_ = true;
        }
    }
    /// Does not wait for the work, which may be in a launch that cannot be recalled; a next start does.
    void cancel()
    {
        if (running()) {
            running_ = false;
            watcher_.cancel();
            watcher_.setFuture(QFuture<std::shared_ptr<Outcome>>()); // which counts as cancelled and finished
        }
    }
    /// As cancel(), where what the work is for has gone: the listener is not told.
    void drop()
    {
        if (running()) {
            dropped_ = true;
            cancel();
        }
    }
    /// Until the listener is told of its end: work that is done but not yet told of can be cancelled like any other.
    [[nodiscard]] bool running() const { return running_; }

private:
    /// Progress is told where its value grows: `begun` is above 0 so that the first stage is told of.
    static constexpr int begun = 1;
    static constexpr int steps = 1000;

    /// A result, or the one line that says why there is none.
    struct Outcome {
        std::shared_ptr<Result> result;
        std::string error;
    };

    static void carry_out(QPromise<std::shared_ptr<Outcome>>& promise, const Work& work, const std::atomic<bool>& early)
    {
        promise.setProgressRange(0, begun + steps);
        const auto progress = [&](const std::string& stage, double fraction) {
            const double share = std::clamp(fraction, 0.0, 1.0);
            promise.setProgressValueAndText(begun + static_cast<int>(share * steps), QString::fromStdString(stage));
        };
        try {
            auto result = std::make_shared<Result>(work(progress, [&] { return early || promise.isCanceled(); }));
            promise.addResult(std::make_shared<Outcome>(Outcome{std::move(result), {}}));
        } catch (const Interrupted&) {
            promise.future().cancel();
        } catch (const std::exception& error) {
            promise.addResult(std::make_shared<Outcome>(Outcome{nullptr, error.what()}));
        }
    }

    void conclude()
    {
        running_ = false;
        if (std::exchange(dropped_, false)) {
            return;
        }
        if (watcher_.isCanceled() || watcher_.future().resultCount() == 0) {
            listener_.cancelled();
            return;
        }
        // Emptied, as the future would hold it until the next start. Not taken from the future by takeResult(): that resets
        // it, and the work's thread, about to let go of its promise, may then cancel and finish it a second time.
        const Outcome outcome = std::exchange(*watcher_.result(), {});
        if (outcome.result) {
            listener_.finished(outcome.result);
        } else {
            listener_.failed(QString::fromStdString(outcome.error));
        }
    }

    Listener listener_;
    bool running_ = false;
    bool dropped_ = false;
    std::shared_ptr<std::atomic<bool>> early_; ///< set by finish_early(); one for each start
    QThreadPool pool_; ///< one thread, so that superseded work never competes with its successor
    QFutureWatcher<std::shared_ptr<Outcome>> watcher_;
};

} // namespace texelscope::gui
