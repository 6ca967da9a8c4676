#pragma once

#include "experiments/study/study.hpp"
#include "gui/study/trace_run.hpp"
#include "gui/widgets/background_job.hpp"

#include <QObject>
#include <memory>
#include <variant>

namespace texelscope::gui {

/// Runs studies and traces in the background, as BackgroundJob does, and says by signals what becomes of them. The latest
/// wins, whichever of the two it is.
class StudyJob : public QObject {
    Q_OBJECT

public:
    explicit StudyJob(QObject* parent = nullptr);

    void start(StudyRequest request);
    void start(TraceRequest request);
    void cancel();
    [[nodiscard]] bool running() const { return job_.running(); }

signals:
    void progressed(const QString& stage, double fraction);
    void finished(const std::shared_ptr<texelscope::experiments::StudyResult>& result);
    void trace_finished(const std::shared_ptr<const texelscope::gui::TraceResult>& result);
    void failed(const QString& line);
    void cancelled();

private:
    using Result = std::variant<StudyResult, TraceResult>;
    void tell(const std::shared_ptr<Result>& result);

    BackgroundJob<Result> job_;
};

} // namespace texelscope::gui
