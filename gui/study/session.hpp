#pragma once

#include "base/units.hpp"
#include "codegen/nest/schedule.hpp"
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

/// The configurations that are selected, in every view at once: views set them, and follow where
/// another one did.
class SelectedConfigurations : public QObject {
    Q_OBJECT

public:
    /// A plot or a table cannot show more of them at a glance; a view that has more selected tells
    /// of the first.
    static constexpr std::size_t most = 1000;

    /// Says so where they are others than before.
    void set(std::vector<Schedule> schedules);
    [[nodiscard]] const std::vector<Schedule>& schedules() const { return schedules_; }

signals:
    void changed();

private:
    std::vector<Schedule> schedules_;
};

/// Whether two operators are of the same name, tensors and default schedule. Kernels of networks
/// may differ in these alone.
[[nodiscard]] bool same_operator(const Operator& a, const Operator& b);
/// Whether the two ask for the same configuration space, judged by the same model.
[[nodiscard]] bool same_space(const StudyRequest& a, const StudyRequest& b);

/// A study, or a trace in the place of one.
struct ShownResult {
    std::shared_ptr<const LaunchResult> launch; ///< null: nothing
    std::shared_ptr<const StudyResult> study;   ///< null for a trace
    StudyForm form;                             ///< that the study was run from
};

/// What a window shows, one study or trace at a time, and what its parts tell each other. A part
/// takes the session, listens to what it is about, and knows no other part. Studies and traces run
/// in the background; the latest wins.
class Session : public QObject {
    Q_OBJECT

public:
    /// `form`: of the first study.
    explicit Session(const StudyForm& form = {});

    /// The last good result, shown or hidden by a trace; null before the first.
    [[nodiscard]] const std::shared_ptr<const StudyResult>& study() const { return study_; }
    /// The trace that is shown in the study's place; null where none is.
    [[nodiscard]] const std::shared_ptr<const TraceResult>& trace() const { return trace_; }
    [[nodiscard]] ShownResult shown() const;
    /// B: what is shown is compared with it in every view that can.
    [[nodiscard]] const ShownResult& kept() const { return kept_; }
    /// The form that the last good study was run from.
    [[nodiscard]] const StudyForm& form() const { return form_; }

    [[nodiscard]] SelectedConfigurations& selection() { return selection_; }
    /// The long jobs of all parts, as a key cancels them.
    [[nodiscard]] CancelOrder& jobs() { return jobs_; }

    void run(StudyRequest request, const StudyForm& form);
    void run(TraceRequest request);
    /// A study or trace that is under way.
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

    /// The form as it is written now; whoever has it in hand says how to get it.
    std::function<StudyForm()> written_form = [] { return StudyForm{}; };

signals:
    // What is shown. A view of a study alone shows nothing of a trace.
    void study_shown();
    void trace_shown();
    /// After either of them, and where B is another one.
    void compared();
    void kept_as_b();
    void forgotten();

    // A study or trace that runs, and how it ended; `shown_anew` where it is seen now.
    void progressed(const QString& stage, double fraction);
    void shown_anew(const QString& note);
    void failed(const QString& line);
    void cancelled();

    // What parts ask for.
    void configuration_chosen(const texelscope::codegen::Schedule& schedule); ///< to be run
    /// To be written into the form.
    void configuration_proposed(const texelscope::codegen::Schedule& schedule);
    /// To be run.
    void form_chosen(const texelscope::workbench::study::StudyForm& form, const QString& note);
    /// Of what is shown from now on.
    void form_restored(const texelscope::workbench::study::StudyForm& form);
    void store_opened(const QString& path);
    void network_opened(const QString& path); ///< an ONNX file
    void crosscheck_wanted();                 ///< of the present study
    void kernel_run_wanted();                 ///< likewise
    /// To be seen, in front of other parts.
    void asked_for(QWidget* part);
    void said(const QString& line);
    /// Why something was not done, other than running a study.
    void refused(const QString& line);

    // What parts have found out.
    void devices_found(const std::vector<texelscope::devices::OpenClDeviceInfo>& devices);
    void measured(const texelscope::codegen::Schedule& schedule, texelscope::base::Nanoseconds time,
                  const std::string& device);
    /// By the compiler of the study's GPU.
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
    StudyForm started_form_; ///< that the study under way is run from
    ShownResult kept_;
    SelectedConfigurations selection_;
    CancelOrder jobs_;
    BackgroundJob<Result> job_;
    BackgroundJob<std::vector<OpenClDeviceInfo>> devices_job_;
};

} // namespace texelscope::gui
