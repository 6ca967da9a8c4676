#pragma once

#include "experiments/study.hpp"
#include "gui/access_recording.hpp"

#include <QFutureWatcher>
#include <QObject>
#include <QThreadPool>
#include <memory>
#include <string>

namespace texelscope {

/// Records the accesses of a study's launch in the background, by simulating it again in untimed mode. The latest wins:
/// starting one cancels the one before. Each start ends in one of finished and failed, unless it is cancelled.
class RecordingJob : public QObject {
    Q_OBJECT

public:
    explicit RecordingJob(QObject* parent = nullptr);
    /// Cancels, and waits until the work has stopped.
    ~RecordingJob() override;

    /// `limit`: see AccessRecording.
    void start(std::shared_ptr<const StudyResult> study, std::size_t limit);
    void cancel() { watcher_.cancel(); }
    [[nodiscard]] bool running() const { return watcher_.isRunning() && !watcher_.isCanceled(); }

signals:
    void progressed(int percent);
    void finished(const std::shared_ptr<const texelscope::AccessRecording>& recording);
    void failed(const QString& line);

private:
    /// A recording, or the one line that says why there is none.
    struct Outcome {
        std::shared_ptr<const AccessRecording> recording;
        std::string error;
    };
    static void work(QPromise<Outcome>& promise, const std::shared_ptr<const StudyResult>& study, std::size_t limit);
    void conclude();

    QThreadPool pool_; ///< one thread, so that a superseded recording never competes with its successor
    QFutureWatcher<Outcome> watcher_;
};

} // namespace texelscope
