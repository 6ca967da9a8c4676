#include "gui/widgets/background_job.hpp"

#include <QFutureWatcher>
#include <QPromise>
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace texelscope::gui {
namespace {

// Qt tells progress only where its value grows. It begins at 1 above nothing, so that the first
// stage is told although its share is 0; a whole job is 1000 steps.
constexpr int begun = 1;
constexpr int steps = 1000;

} // namespace

struct BackgroundWork::State {
    /// A result, or the one line that says why there is none.
    struct Outcome {
        AnyResult result;
        std::string error;
    };
    /// What a start's thread and the window's have in common, beside the future.
    class Handover {
    public:
        void put(Outcome outcome)
        {
            const std::scoped_lock lock(mutex_);
            outcome_ = std::move(outcome);
        }
        /// Nothing where there is none, or it was taken.
        [[nodiscard]] std::optional<Outcome> take()
        {
            const std::scoped_lock lock(mutex_);
            return std::exchange(outcome_, std::nullopt);
        }

        std::atomic<bool> early = false; ///< set by finish_early()

    private:
        std::mutex mutex_;
        std::optional<Outcome> outcome_;
    };

    explicit State(Told<AnyResult> told) : listener(std::move(told))
    {
        QObject::connect(&watcher, &QFutureWatcherBase::finished, &watcher, [this] { conclude(); });
        QObject::connect(&watcher, &QFutureWatcherBase::progressValueChanged, &watcher,
                         [this](int value) {
                             if (value >= begun && !watcher.isCanceled() && listener.progressed) {
                                 listener.progressed(watcher.progressText(),
                                                     static_cast<double>(value - begun) / steps);
                             }
                         });
    }

    static void carry_out(QPromise<void>& promise, const Work& work, Handover& handover)
    {
        promise.setProgressRange(0, begun + steps);
        const auto progress = [&](const std::string& stage, double fraction) {
            const double share = std::clamp(fraction, 0.0, 1.0);
            promise.setProgressValueAndText(begun + static_cast<int>(share * steps),
                                            QString::fromStdString(stage));
        };
        try {
            handover.put(
                {work(progress, [&] { return handover.early || promise.isCanceled(); }), {}});
        } catch (const Interrupted&) { // without an outcome
        } catch (const std::bad_alloc&) {
            handover.put({nullptr, "out of memory; use a smaller shape"});
        } catch (const std::exception& error) {
            handover.put({nullptr, error.what()});
        }
    }

    void conclude()
    {
        running = false;
        if (std::exchange(dropped, false)) {
            return;
        }
        const std::optional<Outcome> outcome =
            watcher.isCanceled() ? std::nullopt : handover->take();
        if (!outcome) {
            if (listener.cancelled) {
                listener.cancelled();
            }
        } else if (outcome->result) {
            listener.finished(outcome->result);
        } else if (listener.failed) {
            listener.failed(QString::fromStdString(outcome->error));
        }
    }

    Told<AnyResult> listener;
    bool running = false;
    bool dropped = false;
    std::shared_ptr<Handover> handover; ///< of the latest start
    QFutureWatcher<void> watcher;
    /// Of the latest start; a pool would keep work for a thread that cannot be started.
    std::jthread thread;
};

BackgroundWork::BackgroundWork(Told<AnyResult> listener)
    : state_(std::make_unique<State>(std::move(listener)))
{}

BackgroundWork::~BackgroundWork()
{
    state_->watcher.disconnect();
    state_->watcher.cancel();
    if (state_->thread.joinable()) {
        state_->thread.join();
    }
}

void BackgroundWork::start(Work work)
{
    state_->watcher.cancel();
    state_->running = true;
    state_->dropped = false;
    state_->handover = std::make_shared<State::Handover>();
    const auto promise = std::make_shared<QPromise<void>>();
    state_->watcher.setFuture(promise->future());
    promise->start();
    // One after the other, so that superseded work never competes with its successor.
    const auto before = std::make_shared<std::jthread>(std::move(state_->thread));
    try {
        state_->thread =
            std::jthread([promise, before, work = std::move(work), handover = state_->handover] {
                if (before->joinable()) {
                    before->join();
                }
                try {
                    if (!promise->isCanceled()) {
                        State::carry_out(*promise, work, *handover);
                    }
                    promise->finish();
                } catch (...) { // no memory even for saying so: it ends as cancelled
                }
            });
    } catch (const std::system_error&) {
        state_->handover->put(
            {nullptr, "no thread can be started: out of memory; close other programs"});
        promise->finish();
    }
}

void BackgroundWork::finish_early()
{
    if (running()) {
        state_->handover->early = true;
    }
}

void BackgroundWork::cancel()
{
    if (running()) {
        state_->running = false;
        state_->watcher.cancel();
        state_->watcher.setFuture(QFuture<void>()); // which counts as cancelled and finished
        // or a result of work that goes on would be kept
        state_->handover.reset();
    }
}

void BackgroundWork::drop()
{
    if (running()) {
        state_->dropped = true;
        cancel();
    }
}

bool BackgroundWork::running() const
{
    return state_->running;
}

void CancelOrder::started(const std::string& name, std::function<bool()> running,
                          std::function<void()> cancel)
{
    std::erase_if(jobs_, [&](const Job& job) { return job.name == name; });
    jobs_.push_back({name, std::move(running), std::move(cancel)});
}

bool CancelOrder::cancel_latest()
{
    const auto latest =
        std::find_if(jobs_.rbegin(), jobs_.rend(), [](const Job& job) { return job.running(); });
    if (latest == jobs_.rend()) {
        return false;
    }
    latest->cancel();
    return true;
}

void CancelOrder::cancel_all()
{
    for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) {
        if (job->running()) {
            job->cancel();
        }
    }
}

} // namespace texelscope::gui
