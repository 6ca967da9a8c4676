#pragma once

#include "gui/background_job.hpp"

#include <QObject>
#include <memory>

namespace texelscope {

/// Runs studies in the background, as BackgroundJob does, and says by signals what becomes of them.
class StudyJob : public QObject {
    Q_OBJECT

public:
    explicit StudyJob(QObject* parent = nullptr);

    void start(StudyRequest request);
    void cancel();
    [[nodiscard]] bool running() const { return job_.running(); }

signals:
    void progressed(const QString& stage, double fraction);
    void finished(const std::shared_ptr<texelscope::StudyResult>& result);
    void failed(const QString& line);
    void cancelled();

private:
    BackgroundJob<StudyResult> job_;
};

} // namespace texelscope
