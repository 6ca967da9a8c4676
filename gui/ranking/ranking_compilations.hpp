#pragma once

#include "gui/ranking/ranking_rows.hpp"
#include "gui/ranking/row_work.hpp"
#include "gui/widgets/background_job.hpp"
#include "workbench/study/study_request.hpp"

#include <QObject>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace texelscope::gui {

class Session;

using CompilationInbox = RowInbox<Compilation>;

/// Has the compiler of a device's GPU compile configurations, given by their numbers, and puts what
/// it says of them into the inbox, some at a time. When `stop` answers true, what is done stays.
/// Throws missing where there is no compiler.
[[nodiscard]] RowCount compile_configurations(const Operator& op, const DeviceProfile& device,
                                              const ConfigurationSpace& space,
                                              const std::vector<std::int64_t>& indices,
                                              CompilationInbox& inbox,
                                              const Progress& progress = {},
                                              const StopToken& stop = {});

/// What compilers report on a ranking's rows: on rows that are compiled here in the background, and
/// on the study's kernel where its listing is shown. Configurations outside of the space are
/// ignored.
class RankingCompilations : public QObject {
    Q_OBJECT

public:
    /// `rows`: those that are shown now.
    RankingCompilations(Session& session, std::function<const RankingRows&()> rows,
                        QObject* parent);

    /// Adds to new rows what was reported before there were rows.
    void put_early(RankingRows& rows);
    /// Compiles the kernels of those rows.
    void compile(const StudyRequest& request, const std::vector<std::size_t>& rows);
    /// Stops compiling; rows that are compiled stay.
    void cancel() { job_.finish_early(); }
    /// Forgets everything, for another operator or device follows.
    void drop();
    [[nodiscard]] bool running() const { return job_.running(); }

signals:
    /// More is known of the same rows.
    void known(const RankingRows& rows);
    void started(const QString& note);
    void progressed(const QString& stage, double fraction);
    /// All that were asked for are known.
    void complete();
    void ended(const QString& line, bool error);

private:
    void take_compiled();

    std::function<const RankingRows&()> rows_;
    /// Reports on configurations that came before their space was there.
    std::vector<std::pair<Schedule, Compilation>> early_;
    std::shared_ptr<CompilationInbox> inbox_;
    BackgroundJob<RowCount> job_;
};

} // namespace texelscope::gui
