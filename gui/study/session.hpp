#pragma once

#include "base/units.hpp"
#include "codegen/nest/schedule.hpp"
#include "devices/runners/job_runner_options.hpp"
#include "gui/widgets/background_job.hpp"
#include "workbench/study/study_form.hpp"

#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace texelscope::devices {

struct CompiledKernel;
struct OpenClDeviceInfo;
} // namespace texelscope::devices
namespace texelscope::workbench::study {

struct CrosscheckResult;
struct LaunchResult;
struct StudyRequest;
struct StudyResult;
} // namespace texelscope::workbench::study

namespace texelscope::gui {

struct TraceRequest;
struct TraceResult;

/// The configurations that are selected, shared by all views: a view sets them, and follows
/// changed() where another view did.
class SelectedConfigurations : public QObject {
    Q_OBJECT

public:
    /// The largest number of configurations that a view passes on: a plot or a table cannot show
    /// more at a glance. A view with more selected passes on the first.
    static constexpr std::size_t most = 1000;

    /// Emits changed() where they differ from those before.
    void set(std::vector<Schedule> schedules);
    [[nodiscard]] const std::vector<Schedule>& schedules() const { return schedules_; }

signals:
    void changed();

private:
    std::vector<Schedule> schedules_;
};

/// Whether two operators have the same name, tensors and default schedule. Kernels of networks may
/// differ in nothing else.
[[nodiscard]] bool same_operator(const Operator& a, const Operator& b);
/// Whether the two ask for the same configuration space, judged by the same model.
[[nodiscard]] bool same_space(const StudyRequest& a, const StudyRequest& b);

/// The result that the window shows: a study, or a trace in its place.
struct ShownResult {
    std::shared_ptr<const LaunchResult> launch; ///< null: nothing is shown
    std::shared_ptr<const StudyResult> study;   ///< null for a trace
    StudyForm form;                             ///< form that the study was run from
};

/// What the window shows, one study or trace at a time, and the place where its parts exchange
/// messages.
///
/// What goes in: a StudyRequest or TraceRequest by run(), and what parts ask for, by emitting a
/// signal of the session. What comes out: the result by study(), trace() or shown(), and signals
/// that tell parts of it.
///
/// Order: run() starts a job in the background and progressed() follows. When a result is there,
/// study_shown() or trace_shown() tells the views to show it, then compared(), then shown_anew().
/// Else failed() or cancelled() comes.
///
/// What always holds: a part takes the session, listens to the signals that it is about, and knows
/// no other part. Of several runs the latest wins. Results are immutable and shared.
class Session : public QObject {
    Q_OBJECT

public:
    /// `form`: that of the first study. `devices`: how OpenCL devices are opened.
    explicit Session(const StudyForm& form = {}, JobRunnerOptions devices = {});

    /// The last good study, also while a trace is shown in its place; null before the first.
    [[nodiscard]] const std::shared_ptr<const StudyResult>& study() const { return study_; }
    /// The trace that is shown in the study's place; null where none is.
    [[nodiscard]] const std::shared_ptr<const TraceResult>& trace() const { return trace_; }
    [[nodiscard]] ShownResult shown() const;
    /// The result that was kept as B: every view that can compares what is shown with it.
    [[nodiscard]] const ShownResult& kept() const { return kept_; }
    /// The form that the last good study was run from.
    [[nodiscard]] const StudyForm& form() const { return form_; }

    [[nodiscard]] const JobRunnerOptions& devices() const { return devices_; }
    [[nodiscard]] SelectedConfigurations& selection() { return selection_; }
    /// The long jobs of all parts, so that a key can cancel them.
    [[nodiscard]] CancelOrder& jobs() { return jobs_; }

    void run(StudyRequest request, const StudyForm& form);
    void run(TraceRequest request);
    /// Cancels a study or trace that is under way.
    void cancel() { job_.cancel(); }
    [[nodiscard]] bool running() const { return job_.running(); }
    /// The last study again, in a trace's place; false where there is none.
    bool close_trace();
    /// Keeps what is shown as B.
    void keep();
    void forget();
    /// Shows B as the present study, and keeps the present one as B.
    void swap();
    /// Looks for the OpenCL devices of this machine.
    void find_devices();

    /// The form as the user has edited it so far; the part that holds the fields sets this.
    std::function<StudyForm()> written_form = [] { return StudyForm{}; };

signals:
    // About what is shown. A view that knows only studies shows nothing for a trace.
    void study_shown();
    void trace_shown();
    /// After each of study_shown() and trace_shown(), and where B has changed.
    void compared();
    void kept_as_b();
    void forgotten();

    // About a study or trace that runs, and how it ended; `shown_anew`: its result is on show now.
    void progressed(const QString& stage, double fraction);
    void shown_anew(const QString& note);
    void failed(const QString& line);
    void cancelled();

    // What parts ask for.
    /// A configuration to be run.
    void configuration_chosen(const texelscope::codegen::Schedule& schedule);
    /// A configuration to be written into the form.
    void configuration_proposed(const texelscope::codegen::Schedule& schedule);
    /// A form to be run.
    void form_chosen(const texelscope::workbench::study::StudyForm& form, const QString& note);
    /// The form of the result that is shown from now on.
    void form_restored(const texelscope::workbench::study::StudyForm& form);
    void store_opened(const QString& path);
    void network_opened(const QString& path); ///< an ONNX file
    void crosscheck_wanted();                 ///< a cross-check of the present study
    void kernel_run_wanted();                 ///< a run of the present study's kernel
    /// A part that should come to the front.
    void asked_for(QWidget* part);
    void said(const QString& line);
    /// Why something other than a study could not be done.
    void refused(const QString& line);

    // What parts have found out.
    void devices_found(const std::vector<texelscope::devices::OpenClDeviceInfo>& devices);
    void measured(const texelscope::codegen::Schedule& schedule, texelscope::base::Nanoseconds time,
                  const std::string& device);
    /// A kernel was compiled by the compiler for the study's GPU.
    void compiled(const texelscope::codegen::Schedule& schedule,
                  const texelscope::devices::CompiledKernel& kernel);
    void judged(const texelscope::workbench::study::CrosscheckResult& result);

private:
    using Result = std::variant<StudyResult, TraceResult>;

    void show_result(const std::shared_ptr<Result>& result);
    void show_study();

    std::shared_ptr<const StudyResult> study_;
    std::shared_ptr<const TraceResult> trace_;
    StudyForm form_;
    StudyForm started_form_; ///< form that the study under way is run from
    ShownResult kept_;
    JobRunnerOptions devices_;
    SelectedConfigurations selection_;
    CancelOrder jobs_;
    BackgroundJob<Result> job_;
    BackgroundJob<std::vector<OpenClDeviceInfo>> devices_job_;
};

} // namespace texelscope::gui
