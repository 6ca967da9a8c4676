#include "gui/study/study_job.hpp"

namespace texelscope::gui {

StudyJob::StudyJob(QObject* parent)
    : QObject(parent), job_({[this](const QString& stage, double fraction) { emit progressed(stage, fraction); },
                             [this](const std::shared_ptr<Result>& result) { tell(result); },
                             [this](const QString& line) { emit failed(line); }, [this] { emit cancelled(); }})
{}

void StudyJob::start(StudyRequest request)
{
    job_.start([request = std::move(request)](const Progress& progress, const StopToken& stop) {
        return Result(run_study(request, progress, stop));
    });
}

void StudyJob::start(TraceRequest request)
{
    job_.start([request = std::move(request)](const Progress& progress, const StopToken& stop) {
        return Result(run_trace(request, progress, stop));
    });
}

void StudyJob::cancel()
{
    job_.cancel();
}

void StudyJob::tell(const std::shared_ptr<Result>& result)
{
    if (auto* study = std::get_if<StudyResult>(result.get())) {
        emit finished(std::shared_ptr<StudyResult>(result, study));
    } else {
        emit trace_finished(std::shared_ptr<const TraceResult>(result, std::get_if<TraceResult>(result.get())));
    }
}

} // namespace texelscope::gui
