#include "gui/choice/choice_panel.hpp"

#include "base/atomic_file.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "gui/choice/choice_model.hpp"
#include "gui/cross_check/crosscheck_model.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/flow_layout.hpp"
#include "gui/widgets/table.hpp"
#include "workbench/study/study.hpp"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace texelscope::gui {
namespace {

QTableView* table_of(QAbstractItemModel* model, const char* name, const QString& about)
{
    auto* table = named_with_tip(new QTableView, name, about);
    table->setModel(model);
    set_up_rows(*table);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->horizontalHeader()->setHighlightSections(false);
    return table;
}

} // namespace

ChoicePanel::ChoicePanel(Session& session)
    : session_(session), choices_(new ChoiceModel(this)), facts_(new FactsModel(this)),
      job_({[this](const QString& stage, double) { set_note_text(*note_, stage); },
            [this](const std::shared_ptr<JudgedConfigurations>& looked) {
                set_note_text(*note_, summary_text(looked->crosscheck));
                note_->setToolTip(summary_tip(looked->crosscheck));
                // The new choices keep the place that the user was at.
                const int row = table_->currentIndex().row();
                choices_->show_choices(std::move(*looked));
                for (int column = 0; column < choices_->columnCount(); ++column) {
                    if (column != ChoiceModel::configuration_column) {
                        table_->resizeColumnToContents(column);
                    }
                }
                table_->selectRow(std::clamp(row, 0, choices_->rowCount() - 1));
                show_choice();
                emit shown();
            },
            [this](const QString& line) {
                set_note_text(*note_, line, true);
                emit shown();
            },
            [this] { set_note_text(*note_, tr("Cancelled.")); }})
{
    setObjectName("choice_panel");
    note_ = text_label("choice_note", tr("Agreement of the judges"), true);
    why_ = text_label("choice_why", tr("Why the choice takes as long as it does"));
    why_->setWordWrap(true);
    judge_ = push_button(tr("Judge"), "choice_judge",
                         tr("Cross-check model, simulator and device (F7)"));
    study_ =
        push_button(tr("Simulate"), "choice_study", tr("Run the study of the selected choice"));
    run_ = push_button(tr("Run"), "choice_run",
                       tr("Study the selected choice and run its kernel (F6)"));
    compare_ = push_button(
        tr("Compare"), "choice_compare",
        tr("Keep the configuration in use as B, and study the selected choice beside it"));
    export_ = push_button(tr("Export…"), "choice_export",
                          tr("Write the selected choice's kernel as OpenCL C"));
    table_ = table_of(choices_, "choice_table", tr("What each judge would take"));
    give_rest_to(*table_, ChoiceModel::configuration_column, QStringLiteral("A=block2,…G=16x16x1"));
    hint_while_empty(*table_, [this] {
        return session_.study() ? tr("Nobody has judged yet.\nCross-check (F7): each judge's "
                                     "choice will be here.")
                                : tr("No study yet.\nRun one (F5) first.");
    });
    facts_table_ = table_of(facts_, "choice_facts", tr("What sets the choice apart"));
    // tool tips say what is cut
    facts_table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    facts_table_->horizontalHeader()->setSectionResizeMode(FactsModel::fact_column,
                                                           QHeaderView::ResizeToContents);
    facts_table_->setTextElideMode(Qt::ElideRight);
    hint_while_empty(*facts_table_, [] {
        return tr("What sets a choice apart stands here.\nCross-check first (F7).");
    });
    add_table_export(*table_, QStringLiteral("choices.csv"));
    add_table_export(*facts_table_, QStringLiteral("choice.csv"));

    auto* buttons = new QWidget;
    auto* row = new FlowLayout(buttons);
    for (QPushButton* button : {judge_, study_, run_, compare_, export_}) {
        row->addWidget(button);
    }
    auto* left = new QWidget;
    auto* of_left = new QVBoxLayout(left);
    of_left->setContentsMargins(0, 0, 0, 0);
    of_left->addWidget(table_, 1);
    of_left->addWidget(why_);
    auto* splitter = new QSplitter;
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(left);
    splitter->addWidget(facts_table_);
    splitter->setSizes({500, 500}); // shares
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(buttons);
    layout->addWidget(note_);
    layout->addWidget(splitter, 1);

    connect(judge_, &QPushButton::clicked, &session_, &Session::crosscheck_wanted);
    connect(study_, &QPushButton::clicked, this, &ChoicePanel::study_selected);
    connect(run_, &QPushButton::clicked, this, &ChoicePanel::run_selected);
    connect(compare_, &QPushButton::clicked, this, &ChoicePanel::compare_selected);
    connect(export_, &QPushButton::clicked, this, [this] {
        ask_and_write(this, tr("Export the kernel"), "kernel.cl", tr("OpenCL C (*.cl)"),
                      [this](const std::string& path) { export_kernel(path); });
    });
    connect(table_, &QTableView::activated, this, &ChoicePanel::study_selected);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ChoicePanel::show_choice);
    connect(&session_, &Session::judged, this, &ChoicePanel::judged);
    connect(&session_, &Session::study_shown, this, &ChoicePanel::follow_study);
    show_choice();
}

void ChoicePanel::judged(const CrosscheckResult& crosscheck)
{
    if (!crosscheck.rows.empty() && session_.study()) {
        look_at(crosscheck);
    }
}

void ChoicePanel::look_at(CrosscheckResult crosscheck)
{
    judged_for_ = session_.study();
    job_.start([study = judged_for_, crosscheck = std::move(crosscheck)](const Progress& progress,
                                                                         const StopToken& stop) {
        const StudyRequest& request = study->request;
        return JudgedConfigurations{crosscheck,
                                    judge_choices(request.op, request.device, study->calibration,
                                                  crosscheck, request.schedule, progress, stop)};
    });
    session_.jobs().started(*this);
}

void ChoicePanel::follow_study()
{
    const StudyResult& study = *session_.study();
    // A run that waited for its study goes ahead, unless another study came first.
    if (to_run_ && std::exchange(to_run_, {}) == study.request.schedule) {
        emit session_.kernel_run_wanted();
    }
    if (!same_question(study)) {
        job_.drop();
        choices_->show_choices(
            {}); // even where there are none: what an empty table says is another text now
        set_note_text(*note_, {});
        show_choice();
    } else if (choices_->rowCount() > 0) {
        // The same question with another configuration in use: what is compared with it changes.
        look_at(choices_->judged().crosscheck);
    }
}

bool ChoicePanel::same_question(const StudyResult& study) const
{
    return judged_for_ && same_operator(judged_for_->request.op, study.request.op) &&
           judged_for_->request.device == study.request.device;
}

std::optional<Schedule> ChoicePanel::selected() const
{
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    return rows.isEmpty()
               ? std::nullopt
               : std::optional(choices_->schedule(static_cast<std::size_t>(rows.front().row())));
}

void ChoicePanel::show_choice()
{
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    const JudgeChoices& all = choices_->judged().choices;
    const JudgeChoice* choice =
        rows.isEmpty() ? nullptr : &all.by_judge[static_cast<std::size_t>(rows.front().row())];
    facts_->show_facts(all, choice);
    why_->setText(choice == nullptr
                      ? QString()
                      : QString::fromStdString(to_string(choices_->schedule(
                                                   static_cast<std::size_t>(rows.front().row()))) +
                                               ": " + facts_text(all.facts.at(choice->row))));
    for (QPushButton* button : {study_, run_, compare_, export_}) {
        button->setEnabled(choice != nullptr);
    }
}

void ChoicePanel::study_selected()
{
    if (const auto schedule = selected()) {
        emit session_.configuration_chosen(*schedule);
    }
}

void ChoicePanel::run_selected()
{
    const auto schedule = selected();
    if (!schedule) {
        return;
    }
    if (session_.study()->request.schedule == *schedule) {
        emit session_.kernel_run_wanted();
        return;
    }
    to_run_ = schedule;
    emit session_.configuration_chosen(*schedule);
}

void ChoicePanel::compare_selected()
{
    // The shown study becomes B before the selected choice takes its place.
    session_.keep();
    study_selected();
}

void ChoicePanel::export_kernel(const std::string& path)
{
    try {
        if (const auto schedule = selected()) {
            write_file_atomically(path,
                                  opencl_text(loop_nest(session_.study()->request.op, *schedule),
                                              TexelBackend::native));
        }
    } catch (const std::exception& error) {
        set_note_text(*note_, error.what(), true);
    }
}

} // namespace texelscope::gui
