#include "gui/study_job.hpp"

#include <QPromise>
#include <QtConcurrentRun>
#include <algorithm>
#include <exception>

namespace texelscope {
namespace {

constexpr int progress_steps = 1000;

} // namespace

StudyJob::StudyJob(QObject* parent) : QObject(parent)
{
    pool_.setMaxThreadCount(1);
    connect(&watcher_, &QFutureWatcherBase::finished, this, &StudyJob::conclude);
    connect(&watcher_, &QFutureWatcherBase::progressValueChanged, this, [this](int value) {
        if (!watcher_.isCanceled()) {
            emit progressed(watcher_.progressText(), static_cast<double>(value) / progress_steps);
        }
    });
}

StudyJob::~StudyJob()
{
    watcher_.disconnect(this);
    watcher_.cancel();
    pool_.waitForDone();
}

void StudyJob::start(StudyRequest request)
{
    watcher_.cancel();
    watcher_.setFuture(QtConcurrent::run(&pool_, &StudyJob::work, std::move(request)));
}

void StudyJob::cancel()
{
    watcher_.cancel();
}

void StudyJob::work(QPromise<Outcome>& promise, const StudyRequest& request)
{
    promise.setProgressRange(0, progress_steps);
    const auto progress = [&](const std::string& stage, double fraction) {
        const double share = std::clamp(fraction, 0.0, 1.0);
        promise.setProgressValueAndText(static_cast<int>(share * progress_steps), QString::fromStdString(stage));
    };
    try {
        auto result = std::make_shared<StudyResult>(run_study(request, progress, [&] { return promise.isCanceled(); }));
        promise.addResult(Outcome{std::move(result), {}});
    } catch (const Interrupted&) {
        promise.future().cancel();
    } catch (const std::exception& error) {
        promise.addResult(Outcome{nullptr, error.what()});
    }
}

void StudyJob::conclude()
{
    if (watcher_.isCanceled() || watcher_.future().resultCount() == 0) {
        emit cancelled();
        return;
    }
    const Outcome outcome = watcher_.result();
    if (outcome.result) {
        emit finished(outcome.result);
    } else {
        emit failed(QString::fromStdString(outcome.error));
    }
}

} // namespace texelscope
