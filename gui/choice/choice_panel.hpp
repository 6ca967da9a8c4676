#pragma once

#include "gui/widgets/background_job.hpp"
#include "workbench/report/judged_configurations.hpp"
#include "workbench/study/judge_choices.hpp"
#include "workbench/study/study.hpp"

#include <QWidget>
#include <memory>
#include <optional>
#include <string>

class QLabel;
class QPushButton;
class QTableView;

namespace texelscope::gui {

class ChoiceModel;
class FactsModel;
class Session;

/// Shows which of the configurations of a cross-check each judge would choose, why, and what sets
/// the choice apart from the second choice and from the configuration in use. A choice can be
/// studied, run, compared with the configuration in use, and exported. Follows the session's last
/// cross-check.
class ChoicePanel : public QWidget {
    Q_OBJECT

public:
    explicit ChoicePanel(Session& session);

    [[nodiscard]] bool running() const { return job_.running(); }
    void cancel() { job_.cancel(); }
    /// Writes the kernel of the selected choice as OpenCL C; an error is shown above the table.
    void export_kernel(const std::string& path);

signals:
    /// The choices of the last cross-check are shown, or the line that says why there are none.
    void shown();

private:
    void judged(const CrosscheckResult& crosscheck);
    void follow_study();
    /// Works out in the background what each judge would choose and why, against the configuration
    /// of the session's study.
    void look_at(CrosscheckResult crosscheck);
    /// Whether a study asks about the operator and the device that were judged.
    [[nodiscard]] bool same_question(const StudyResult& study) const;
    void show_choice();
    /// The configuration of the selected row; nothing where no row is selected.
    [[nodiscard]] std::optional<Schedule> selected() const;
    void study_selected();
    void run_selected();
    void compare_selected();

    Session& session_;
    ChoiceModel* choices_;
    FactsModel* facts_;
    QTableView* table_;
    QTableView* facts_table_;
    QLabel* note_;
    QLabel* why_;
    QPushButton* judge_;
    QPushButton* study_;
    QPushButton* run_;
    QPushButton* compare_;
    QPushButton* export_;
    std::shared_ptr<const StudyResult> judged_for_; ///< null: nothing was judged
    std::optional<Schedule> to_run_; ///< configuration to run as soon as its study is shown
    BackgroundJob<JudgedConfigurations> job_;
};

} // namespace texelscope::gui
