#include "gui/cross_check/crosscheck_panel.hpp"

#include "base/atomic_file.hpp"
#include "devices/jobs/described_device.hpp"
#include "gui/cross_check/crosscheck_model.hpp"
#include "gui/cross_check/crosscheck_plot.hpp"
#include "gui/kernel/opencl_device_box.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/flow_layout.hpp"
#include "gui/widgets/table.hpp"
#include "workbench/plots/result_table.hpp"
#include "workbench/report/judged_configurations.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/model_descent.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

/// The work of the background job: the study's own configuration first, then the model's best over
/// all parts, then the sample. `place` without a device: model and simulator alone.
CrosscheckResult judge_all(const StudyRequest& request, const Calibration& calibration,
                           const DevicePlace& place, std::size_t samples, const Progress& progress,
                           const StopToken& stop)
{
    std::optional<OpenClDevice> device;
    if (!place.on.empty()) {
        device.emplace(place.on, place.how);
    }
    CrosscheckOptions options;
    options.samples = samples;
    options.seed = request.seed;
    options.variant = request.variant;
    options.first =
        first_over_all_parts(request.op, request.device, calibration,
                             options.model_variant().variant, options.over_all_parts(), {}, stop);
    options.first.insert(options.first.begin(), request.schedule);
    return crosscheck(request.op, request.device, calibration, device ? &*device : nullptr, options,
                      progress, stop);
}

} // namespace

CrosscheckPanel::CrosscheckPanel(Session& session)
    : session_(session), model_(new CrosscheckModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      device_(new OpenClDeviceBox(session.devices(), tr("none: no kernel runs"))),
      plot_(new CrosscheckPlot), job_({[this](const QString& stage, double fraction) {
                                           show_share(*progress_, fraction);
                                           if (!stopping_) {
                                               set_note_text(*note_, stage);
                                           }
                                       },
                                       [this](const std::shared_ptr<CrosscheckResult>& result) {
                                           show_result(*result);
                                           emit session_.judged(*result);
                                           emit ended();
                                       },
                                       [this](const QString& line) { end_with(line, true); },
                                       [this] { end_with(tr("Cancelled."), false); }})
{
    setObjectName("crosscheck_panel");
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(build_run_row());
    note_ = text_label("crosscheck_note", tr("State of the cross-check"));
    layout->addWidget(note_);
    auto* splitter = new QSplitter;
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(build_table());
    splitter->addWidget(plot_);
    splitter->setSizes({500, 500}); // shares
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    layout->addWidget(splitter, 1);
    connect_parts();
    set_note_text(
        *note_,
        tr("Run a study (F5) first: its operator and device profile are what is cross-checked."));
    show_buttons();
}

QWidget* CrosscheckPanel::build_run_row()
{
    samples_ = named_with_tip(new QSpinBox, "crosscheck_samples", tr("Configurations"),
                              tr("Half of them the model's best, half drawn at random"));
    samples_->setRange(2, 10000);
    samples_->setValue(static_cast<int>(CrosscheckOptions().samples));
    device_->setObjectName("crosscheck_device");
    run_ = push_button(tr("Run"), "crosscheck_run", tr("Run the cross-check (F7)"));
    cancel_ = push_button(tr("Cancel"), "crosscheck_cancel", tr("Cancel the cross-check"));
    copy_ = push_button(tr("Copy"), "crosscheck_copy", tr("Copy the table as CSV"));
    export_ = push_button(tr("E&xport…"), "crosscheck_export", tr("Export the table as CSV"));
    progress_ = progress_bar("crosscheck_progress", tr("Progress of the cross-check"));
    progress_->setTextVisible(false);
    progress_->setFixedWidth(fontMetrics().height() * 8);

    device_->setMinimumContentsLength(16);
    auto* row = new QWidget;
    auto* layout = new FlowLayout(row);
    layout->add_labelled(tr("Configurations"), samples_);
    layout->add_labelled(tr("on"), device_);
    layout->addWidget(run_);
    layout->addWidget(cancel_);
    layout->addWidget(copy_);
    layout->addWidget(export_);
    layout->addWidget(progress_);
    return row;
}

QWidget* CrosscheckPanel::build_table()
{
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(CrosscheckModel::sort_role);
    table_ = named_with_tip(new QTableView, "crosscheck_table",
                            tr("Configurations as the three judges see them"),
                            tr("Double click or Enter runs a configuration's study"));
    table_->setModel(sorted_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(CrosscheckModel::predicted_column, Qt::AscendingOrder);
    set_up_rows(*table_);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    hint_while_empty(*table_, [this] {
        return study_ ? tr("No cross-check yet.\nRun it (F7).")
                      : tr("No study yet.\nRun one (F5) first.");
    });
    give_rest_to(*table_, CrosscheckModel::configuration_column,
                 QStringLiteral("A=block2,…G=16x16x1"));
    table_->horizontalHeader()->setHighlightSections(false); // bold headings would need more room
    table_->horizontalHeader()->moveSection(CrosscheckModel::configuration_column,
                                            CrosscheckModel::measured_column);
    return table_;
}

// The times come first and are always in sight; a configuration without room is cut in its middle,
// and its tool tip has all.
void CrosscheckPanel::fit_columns()
{
    const int line = fontMetrics().height();
    for (const int column : {CrosscheckModel::predicted_column, CrosscheckModel::simulated_column,
                             CrosscheckModel::measured_column}) {
        // and the mark of the order
        int widest = fontMetrics().horizontalAdvance(tr("Simulated")) + line;
        for (int row = 0; row < model_->rowCount(); ++row) {
            widest = std::max(widest, fontMetrics().horizontalAdvance(
                                          model_->index(row, column).data().toString()));
        }
        table_->setColumnWidth(column, widest + line / 2);
    }
    table_->setColumnWidth(CrosscheckModel::output_column,
                           fontMetrics().horizontalAdvance(tr("Output")) + 3 * line / 2);
}

void CrosscheckPanel::connect_parts()
{
    connect(run_, &QPushButton::clicked, this, &CrosscheckPanel::run);
    connect(device_, &QComboBox::currentTextChanged, this,
            [this] { plot_->compare_with_device(!device_->place().on.empty()); });
    connect(cancel_, &QPushButton::clicked, this, &CrosscheckPanel::cancel);
    connect(copy_, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(
            QString::fromStdString(to_csv(crosscheck_table(result()))));
    });
    connect(export_, &QPushButton::clicked, this, &CrosscheckPanel::ask_and_export);
    connect(plot_, &CrosscheckPlot::rows_selected, this, &CrosscheckPanel::select_rows);
    connect(plot_, &CrosscheckPlot::activated, this,
            [this](int row) { choose(sorted_->mapFromSource(model_->index(row, 0))); });
    connect(table_, &QTableView::activated, this, &CrosscheckPanel::choose);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &CrosscheckPanel::select_from_table);
    connect(&session_.selection(), &SelectedConfigurations::changed, this,
            &CrosscheckPanel::follow);
    connect(&session_, &Session::devices_found, this, &CrosscheckPanel::show_devices);
    connect(&session_, &Session::crosscheck_wanted, this, &CrosscheckPanel::run);
    connect(&session_, &Session::study_shown, this, [this] { show_study(session_.study()); });
}

void CrosscheckPanel::show_study(std::shared_ptr<const StudyResult> study)
{
    // Rows stay while operator and device stay: another configuration is in the same space.
    const bool other = !study_ || !same_operator(study_->request.op, study->request.op) ||
                       study_->request.device != study->request.device;
    const bool other_device = !study_ || study_->request.device != study->request.device;
    study_ = std::move(study);
    if (!other) {
        select_own();
        show_buttons();
        return;
    }
    job_.drop();
    if (other_device) {
        choose_device();
    }
    plot_->show_inputs(study_->request.op);
    show_result({});
    select_own();
    set_note_text(
        *note_,
        tr("Run (F7) judges a sample of the configurations by model, simulator and device."));
}

void CrosscheckPanel::show_devices(const std::vector<OpenClDeviceInfo>& devices)
{
    devices_ = devices;
    device_->show_devices(devices);
    choose_device();
}

void CrosscheckPanel::choose_device()
{
    const auto described = std::ranges::find_if(devices_, [&](const OpenClDeviceInfo& each) {
        return study_ && describes(study_->request.device, each) == true;
    });
    if (described != devices_.end()) {
        device_->choose(*described);
    } else {
        device_->choose_none();
    }
}

const CrosscheckResult& CrosscheckPanel::result() const
{
    return model_->result();
}

void CrosscheckPanel::run()
{
    if (!study_) {
        set_note_text(*note_,
                      tr("Run a study (F5) first: its operator and device profile are what is "
                         "cross-checked."),
                      true);
        return;
    }
    job_.start([study = study_, place = device_->place(),
                samples = static_cast<std::size_t>(samples_->value())](const Progress& progress,
                                                                       const StopToken& stop) {
        return judge_all(study->request, study->calibration, place, samples, progress, stop);
    });
    stopping_ = false;
    progress_->setValue(0);
    set_note_text(*note_, tr("Starting"));
    show_buttons();
    session_.jobs().started(*this);
}

void CrosscheckPanel::cancel()
{
    if (!job_.running()) {
        return;
    }
    if (stopping_) {
        job_.cancel();
        return;
    }
    // At the first request the run ends after the row that is being judged and keeps its rows; a
    // second request, above, abandons it.
    stopping_ = true;
    job_.finish_early();
    set_note_text(*note_, tr("Stopping after the configuration that is being judged…"));
}

void CrosscheckPanel::show_result(const CrosscheckResult& result)
{
    model_->set_result(result);
    fit_columns();
    set_note_text(*note_,
                  (result.interrupted ? tr("Cancelled. ") : QString()) + summary_text(result));
    note_->setToolTip(summary_tip(result));
    plot_->show_result(result);
    follow();
    show_buttons();
}

void CrosscheckPanel::show_buttons()
{
    run_->setEnabled(study_ != nullptr);
    cancel_->setVisible(job_.running());
    progress_->setVisible(job_.running());
    copy_->setEnabled(!result().rows.empty());
    export_->setEnabled(!result().rows.empty());
}

void CrosscheckPanel::select_rows(const std::vector<int>& rows)
{
    QItemSelection selection;
    QModelIndex first;
    for (const int row : rows) {
        const QModelIndex index =
            sorted_->mapFromSource(model_->index(row, CrosscheckModel::predicted_column));
        first = first.isValid() ? first : index;
        selection.select(index.siblingAtColumn(0),
                         index.siblingAtColumn(CrosscheckModel::output_column));
    }
    // The current row first: moving it with rows selected would be taken for the user's choice.
    table_->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    table_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (first.isValid()) {
        table_->scrollTo(first);
    }
}

void CrosscheckPanel::select_from_table()
{
    std::vector<int> rows;
    std::vector<Schedule> schedules;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
        rows.push_back(sorted_->mapToSource(index).row());
        schedules.push_back(result().rows[static_cast<std::size_t>(rows.back())].schedule);
    }
    plot_->select(rows);
    if (!marking_) {
        const QScopedValueRollback marking(marking_, true);
        session_.selection().set(std::move(schedules));
    }
}

void CrosscheckPanel::follow()
{
    if (marking_) {
        return;
    }
    const QScopedValueRollback marking(marking_, true);
    std::vector<int> rows;
    const std::vector<Schedule>& selected = session_.selection().schedules();
    for (int row = 0; row < model_->rowCount(); ++row) {
        const Schedule& schedule = result().rows[static_cast<std::size_t>(row)].schedule;
        if (std::find(selected.begin(), selected.end(), schedule) != selected.end()) {
            rows.push_back(row);
        }
    }
    select_rows(rows);
}

void CrosscheckPanel::select_own()
{
    session_.selection().set({study_->request.schedule});
    follow(); // the rows may be others than when it was set
}

void CrosscheckPanel::choose(const QModelIndex& index)
{
    const QModelIndex source = sorted_->mapToSource(index);
    if (source.isValid()) {
        emit session_.configuration_chosen(
            result().rows[static_cast<std::size_t>(source.row())].schedule);
    }
}

void CrosscheckPanel::export_table(const std::string& path)
{
    try {
        write_file_atomically(path, to_csv(crosscheck_table(result())));
    } catch (const std::exception& error) {
        set_note_text(*note_, error.what(), true);
    }
}

void CrosscheckPanel::ask_and_export()
{
    ask_and_write(this, tr("Export the cross-check"), "crosscheck.csv", tr("CSV tables (*.csv)"),
                  [this](const std::string& path) { export_table(path); });
}

void CrosscheckPanel::end_with(const QString& line, bool error)
{
    set_note_text(*note_, line, error);
    show_buttons();
    emit ended();
}

} // namespace texelscope::gui
