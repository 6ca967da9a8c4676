#include "gui/study_job.hpp"

namespace texelscope {

StudyJob::StudyJob(QObject* parent)
    : QObject(parent), job_({[this](const QString& stage, double fraction) { emit progressed(stage, fraction); },
                             [this](const std::shared_ptr<StudyResult>& result) { emit finished(result); },
                             [this](const QString& line) { emit failed(line); }, [this] { emit cancelled(); }})
{}

void StudyJob::start(StudyRequest request)
{
    job_.start([request = std::move(request)](const Progress& progress, const StopToken& stop) {
        return run_study(request, progress, stop);
    });
}

void StudyJob::cancel()
{
    job_.cancel();
}

} // namespace texelscope
