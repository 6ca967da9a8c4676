#include "gui/recording_job.hpp"

#include "traces/launch_source.hpp"

#include <QPromise>
#include <QtConcurrentRun>
#include <algorithm>
#include <exception>

namespace texelscope {

RecordingJob::RecordingJob(QObject* parent) : QObject(parent)
{
    pool_.setMaxThreadCount(1);
    connect(&watcher_, &QFutureWatcherBase::finished, this, &RecordingJob::conclude);
    connect(&watcher_, &QFutureWatcherBase::progressValueChanged, this, [this](int percent) {
        if (!watcher_.isCanceled()) {
            emit progressed(percent);
        }
    });
}

RecordingJob::~RecordingJob()
{
    watcher_.disconnect(this);
    watcher_.cancel();
    pool_.waitForDone();
}

void RecordingJob::start(std::shared_ptr<const StudyResult> study, std::size_t limit)
{
    watcher_.cancel();
    watcher_.setFuture(QtConcurrent::run(&pool_, &RecordingJob::work, std::move(study), limit));
}

void RecordingJob::work(QPromise<Outcome>& promise, const std::shared_ptr<const StudyResult>& study, std::size_t limit)
{
    constexpr int percents = 100;
    promise.setProgressRange(0, percents);
    try {
        auto recording = std::make_shared<AccessRecording>(study->options, limit);
        SimulationObserver* const observer = recording.get();
        const auto most = static_cast<double>(
            std::max<std::int64_t>(1, std::min(study->simulation.steps, static_cast<std::int64_t>(limit))));
        const StopToken stop = [&] {
            promise.setProgressValue(static_cast<int>(percents * static_cast<double>(recording->size()) / most));
            return recording->full() || promise.isCanceled();
        };
        try {
            (void)simulate(*make_trace_source(launch_of(study->nest)), study->options, {&observer, 1}, stop);
        } catch (const Interrupted&) { // a full recording is one, up to where it ends
            if (promise.isCanceled()) {
                promise.future().cancel();
                return;
            }
        }
        promise.addResult(Outcome{std::move(recording), {}});
    } catch (const std::exception& error) {
        promise.addResult(Outcome{nullptr, error.what()});
    }
}

void RecordingJob::conclude()
{
    if (watcher_.isCanceled() || watcher_.future().resultCount() == 0) {
        return;
    }
    const Outcome outcome = watcher_.result();
    if (outcome.recording) {
        emit finished(outcome.recording);
    } else {
        emit failed(QString::fromStdString(outcome.error));
    }
}

} // namespace texelscope
