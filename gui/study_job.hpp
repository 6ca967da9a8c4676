#pragma once

#include "experiments/study.hpp"

#include <QFutureWatcher>
#include <QObject>
#include <QThreadPool>
#include <memory>
#include <string>

namespace texelscope {

/// Runs studies in the background, one at a time. The latest wins: starting one cancels the one before, whose outcome
/// is dropped. Each start ends in exactly one of finished, failed and cancelled, unless another start takes its place.
class StudyJob : public QObject {
    Q_OBJECT

public:
    explicit StudyJob(QObject* parent = nullptr);
    /// Cancels, and waits until the work has stopped.
    ~StudyJob() override;

    void start(StudyRequest request);
    void cancel();
    [[nodiscard]] bool running() const { return watcher_.isRunning(); }

signals:
    void progressed(const QString& stage, double fraction);
    void finished(const std::shared_ptr<texelscope::StudyResult>& result);
    void failed(const QString& line);
    void cancelled();

private:
    /// A result, or the one line that says why there is none.
    struct Outcome {
        std::shared_ptr<StudyResult> result;
        std::string error;
    };
    static void work(QPromise<Outcome>& promise, const StudyRequest& request);
    void conclude();

    QThreadPool pool_; ///< one thread, so that a superseded study never competes with its successor
    QFutureWatcher<Outcome> watcher_;
};

} // namespace texelscope
