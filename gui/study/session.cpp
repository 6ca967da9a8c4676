#include "gui/study/session.hpp"

#include "base/parallel.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/runners/job_runner.hpp"
#include "gui/study/trace_strip.hpp"
#include "workbench/machines/over_machines.hpp"
#include "workbench/study/study.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::gui {

void SelectedConfigurations::set(std::vector<Schedule> schedules)
{
    if (schedules != schedules_) {
        schedules_ = std::move(schedules);
        emit changed();
    }
}

bool same_operator(const Operator& a, const Operator& b)
{
    const auto same_shape = [](const Tensor& one, const Tensor& other) {
        return one.shape == other.shape;
    };
    return to_string(a) == to_string(b) && std::ranges::equal(a.inputs, b.inputs, same_shape) &&
           same_shape(a.output, b.output) && a.default_schedule == b.default_schedule;
}

bool same_space(const StudyRequest& a, const StudyRequest& b)
{
    return same_operator(a.op, b.op) && a.device == b.device && a.seed == b.seed;
}

Session::Session(const StudyForm& form, JobRunnerOptions devices)
    : form_(form), devices_(std::move(devices)),
      job_({.progressed = [this](const QString& stage,
                                 double share) { emit progressed(stage, share); },
            .finished = [this](const std::shared_ptr<Result>& result) { show_result(result); },
            .failed = [this](const QString& line) { emit failed(line); },
            .cancelled = [this] { emit cancelled(); }}),
      devices_job_({.progressed = {},
                    .finished = [this](const auto& devices) { emit devices_found(*devices); },
                    .failed =
                        [this](const QString& line) {
                            emit devices_found({});
                            emit said(line);
                        },
                    .cancelled = {}})
{
    setObjectName("study"); // among the jobs
}

ShownResult Session::shown() const
{
    return trace_ ? ShownResult{trace_, nullptr, form_} : ShownResult{study_, study_, form_};
}

void Session::run(StudyRequest request, const StudyForm& form)
{
    // The compiler that is there knows kernels already, and makes the spaces of two studies the
    // same.
    if (study_ && request.device.compiler && study_->request.device.compiler &&
        &request.device.compiler->gpu() == &study_->request.device.compiler->gpu()) {
        request.device.compiler = study_->request.device.compiler;
    }
    // Another configuration of the same operator and device does not change the ranking: the one
    // that is there stays.
    if (study_ && study_->ranking.evaluated > 0 && same_space(study_->request, request)) {
        request.rank = false;
    }
    started_form_ = form;
    emit progressed(tr("Starting"), 0);
    job_.start([request = std::move(request)](const Progress& progress, const StopToken& stop) {
        StudyResult study = run_study(request, progress, stop);
        const auto threads = processor_threads();
        study.over_machines = time_over_machines(request, threads, stop);
        return Result(std::move(study));
    });
    jobs_.started(*this);
}

void Session::run(TraceRequest request)
{
    emit progressed(tr("Starting"), 0);
    job_.start([request = std::move(request)](const Progress& progress, const StopToken& stop) {
        return Result(run_trace(request, progress, stop));
    });
    jobs_.started(*this);
}

void Session::show_result(const std::shared_ptr<Result>& result)
{
    if (auto* study = std::get_if<StudyResult>(result.get())) {
        if (!study->request.rank && study_ && same_space(study_->request, study->request)) {
            study->ranking = study_->ranking;
        }
        study_ = std::shared_ptr<const StudyResult>(result, study);
        form_ = started_form_; // another one may be written by now
        show_study();
        emit shown_anew(tr("Done."));
    } else {
        trace_ = std::shared_ptr<const TraceResult>(result, std::get_if<TraceResult>(result.get()));
        emit trace_shown();
        emit compared();
        emit shown_anew(tr("A recorded trace is shown. Run (F5) studies the operator above in its "
                           "place; F8 simulates the "
                           "trace again on the device above."));
    }
}

void Session::show_study()
{
    trace_ = nullptr;
    emit study_shown();
    emit compared();
    selection_.set({study_->request.schedule});
}

bool Session::close_trace()
{
    if (study_) {
        show_study();
    }
    return study_ != nullptr;
}

void Session::keep()
{
    if (!shown().launch) {
        emit said(tr("There is nothing to keep yet: run a study first (F5)"));
        return;
    }
    kept_ = shown();
    emit kept_as_b();
    emit compared();
    emit said(
        tr("Kept as B. Run another configuration, or the same on another device, to compare."));
}

void Session::forget()
{
    if (kept_.launch) {
        kept_ = {};
        emit forgotten();
        emit compared();
    }
}

void Session::swap()
{
    if (!kept_.study || trace_) {
        emit said(tr("There are no two studies to swap: keep one as B first (Ctrl+B)"));
        return;
    }
    // A study under way would take the place of the one that comes back.
    const ShownResult next = std::exchange(kept_, shown());
    job_.cancel();
    study_ = next.study;
    form_ = next.form;
    emit kept_as_b(); // while the parts still have A's, now B's
    emit form_restored(form_);
    show_study();
    emit shown_anew(tr("Swapped."));
}

void Session::find_devices()
{
    devices_job_.start([how = devices_](const Progress&, const StopToken& stop) {
        return devices_here(how, stop);
    });
}

} // namespace texelscope::gui
