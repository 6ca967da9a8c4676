#include "gui/cross_check/crosscheck_panel.hpp"

#include "base/atomic_file.hpp"
#include "gui/kernel/opencl_device_box.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/empty_hint.hpp"
#include "gui/widgets/flow_layout.hpp"
#include "gui/widgets/named_widget.hpp"
#include "gui/widgets/note_text.hpp"
#include "gui/widgets/number_text.hpp"
#include "gui/widgets/row_table.hpp"

#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace texelscope::gui {
namespace {

enum PlotMode { against_each_other, ratio_over_time };

QComboBox* judge_box(const char* object_name, const QString& about, Judge chosen)
{
    auto* box = named_with_tip(new QComboBox, object_name, about);
    for (const Judge judge : all_judges) {
        box->addItem(judge_text(judge));
    }
    box->setCurrentIndex(static_cast<int>(chosen));
    return box;
}

Judge judge_in(const QComboBox* box)
{
    return all_judges[static_cast<std::size_t>(box->currentIndex())];
}

QString tip_text(const CrosscheckRow& row)
{
    QStringList lines{QString::fromStdString(to_string(row.schedule))};
    for (const Judge judge : all_judges) {
        const std::optional<double> time = time_ns(row, judge);
        lines << judge_text(judge) + QStringLiteral(": ") +
                     (time ? time_text({*time}) : QString::fromStdString(row.reason));
    }
    return lines.join(u'\n');
}

CrosscheckResult judge_all(const StudyRequest& request, const Calibration& calibration, const std::string& on,
                           std::size_t samples, const Progress& progress, const StopToken& stop)
{
    std::optional<OpenClDevice> device;
    if (!on.empty()) {
        device.emplace(on);
    }
    CrosscheckOptions options;
    options.samples = samples;
    options.first = request.schedule;
    options.seed = request.seed;
    options.variant = request.variant;
    return crosscheck(request.op, request.device, calibration, device ? &*device : nullptr, options, progress, stop);
}

} // namespace

CrosscheckPanel::CrosscheckPanel(Session& session)
    : session_(session), model_(new CrosscheckModel(this)), sorted_(new QSortFilterProxyModel(this)),
      device_(new OpenClDeviceBox(true)),
      job_({[this](const QString& stage, double fraction) {
                progress_->setValue(static_cast<int>(std::lround(fraction * progress_->maximum())));
                if (!stopping_) {
                    set_note_text(*note_, stage);
                }
            },
            [this](const std::shared_ptr<CrosscheckResult>& result) {
                show_result(*result);
                emit session_.judged(*result);
                emit ended();
            },
            [this](const QString& line) { end_with(line, true); }, [this] { end_with(tr("Cancelled."), false); }})
{
    setObjectName("crosscheck_panel");
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(build_run_row());
    note_ = named_with_tip(new QLabel, "crosscheck_note", tr("State of the cross-check"));
    note_->setToolTip({});
    note_->setWordWrap(true);
    note_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(note_);
    auto* splitter = new QSplitter;
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(build_table());
    splitter->addWidget(build_plot());
    splitter->setSizes({500, 500}); // shares
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    layout->addWidget(splitter, 1);
    connect_parts();
    set_note_text(*note_, tr("Run a study (F5) first: its operator and device profile are what is cross-checked."));
    show_plot();
    show_buttons();
}

QWidget* CrosscheckPanel::build_run_row()
{
    samples_ = named_with_tip(new QSpinBox, "crosscheck_samples", tr("Configurations"));
    samples_->setToolTip(tr("Half of them the model's best, half drawn at random"));
    samples_->setRange(2, 10000);
    samples_->setValue(static_cast<int>(CrosscheckOptions().samples));
    device_->setObjectName("crosscheck_device");
    run_ = named_with_tip(new QPushButton(tr("Run")), "crosscheck_run", tr("Run the cross-check (F7)"));
    cancel_ = named_with_tip(new QPushButton(tr("Cancel")), "crosscheck_cancel", tr("Cancel the cross-check"));
    copy_ = named_with_tip(new QPushButton(tr("Copy")), "crosscheck_copy", tr("Copy the table as CSV"));
    export_ = named_with_tip(new QPushButton(tr("E&xport…")), "crosscheck_export", tr("Export the table as CSV"));
    progress_ = named_with_tip(new QProgressBar, "crosscheck_progress", tr("Progress of the cross-check"));
    progress_->setRange(0, 1000);
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
    table_ = named_with_tip(new QTableView, "crosscheck_table", tr("Configurations as the three judges see them"));
    table_->setToolTip(tr("Double click or Enter runs a configuration's study"));
    table_->setModel(sorted_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(CrosscheckModel::predicted_column, Qt::AscendingOrder);
    set_up_rows(*table_);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    hint_while_empty(*table_, [this] {
        return subject_ ? tr("No cross-check yet.\nRun it (F7).") : tr("No study yet.\nRun one (F5) first.");
    });
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->horizontalHeader()->setHighlightSections(false); // bold headings would need more room
    table_->horizontalHeader()->moveSection(CrosscheckModel::configuration_column, CrosscheckModel::measured_column);
    table_->viewport()->installEventFilter(this);
    return table_;
}

// The times come first and are always in sight; a configuration without room is cut in its middle, and its tool tip has all.
void CrosscheckPanel::fit_columns()
{
    const int line = fontMetrics().height();
    int others = 0;
    for (const int column :
         {CrosscheckModel::predicted_column, CrosscheckModel::simulated_column, CrosscheckModel::measured_column}) {
        int widest = fontMetrics().horizontalAdvance(tr("Simulated")) + line; // and the mark of the order
        for (int row = 0; row < model_->rowCount(); ++row) {
            widest = std::max(widest, fontMetrics().horizontalAdvance(model_->index(row, column).data().toString()));
        }
        table_->setColumnWidth(column, widest + line / 2);
        others += widest + line / 2;
    }
    const int output = fontMetrics().horizontalAdvance(tr("Output")) + 3 * line / 2;
    table_->setColumnWidth(CrosscheckModel::output_column, output);
    const int least = fontMetrics().horizontalAdvance(QStringLiteral("A=block2,…G=16x16x1"));
    table_->setColumnWidth(CrosscheckModel::configuration_column,
                           std::max(least, table_->viewport()->width() - others - output));
}

bool CrosscheckPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == table_->viewport() && event->type() == QEvent::Resize) {
        fit_columns();
    }
    return QWidget::eventFilter(watched, event);
}

QWidget* CrosscheckPanel::build_plot()
{
    mode_ = named_with_tip(new QComboBox, "crosscheck_mode", tr("What the plot shows"));
    mode_->addItem(tr("Times"));
    mode_->addItem(tr("Ratio"));
    y_ = judge_box("crosscheck_y", tr("Judge"), Judge::model);
    x_ = judge_box("crosscheck_x", tr("Judge that it is compared with"), Judge::simulator);
    colour_ = named_with_tip(new QComboBox, "crosscheck_colour", tr("Input whose access pattern colours the points"));
    plot_ = new ScatterPlot;
    auto* row = new FlowLayout;
    row->addWidget(mode_);
    row->addWidget(y_);
    row->add_labelled(tr("to"), x_);
    row->add_labelled(tr("Colour"), colour_);
    auto* side = new QWidget;
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(plot_, 1);
    return side;
}

void CrosscheckPanel::connect_parts()
{
    connect(run_, &QPushButton::clicked, this, &CrosscheckPanel::run);
    connect(cancel_, &QPushButton::clicked, this, &CrosscheckPanel::cancel);
    connect(copy_, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(QString::fromStdString(crosscheck_csv(result()))); });
    connect(export_, &QPushButton::clicked, this, &CrosscheckPanel::ask_and_export);
    for (QComboBox* box : {mode_, x_, y_, colour_}) {
        connect(box, &QComboBox::currentIndexChanged, this, &CrosscheckPanel::show_plot);
    }
    connect(plot_, &ScatterPlot::selected, this, [this](int row) { select_rows({row}); });
    connect(plot_, &ScatterPlot::several_selected, this, &CrosscheckPanel::select_rows);
    connect(plot_, &ScatterPlot::activated, this,
            [this](int row) { choose(sorted_->mapFromSource(model_->index(row, 0))); });
    connect(table_, &QTableView::activated, this, &CrosscheckPanel::choose);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &CrosscheckPanel::select_from_table);
    connect(&session_.selection(), &SelectedConfigurations::changed, this, &CrosscheckPanel::follow);
    connect(&session_, &Session::devices_found, this, &CrosscheckPanel::show_devices);
    connect(&session_, &Session::study_shown, this,
            [this] { show_study(session_.study()->request, session_.study()->calibration); });
}

void CrosscheckPanel::show_study(const StudyRequest& request, const Calibration& calibration)
{
    const bool other = !subject_ || to_string(subject_->request.op) != to_string(request.op) ||
                       subject_->request.device != request.device;
    subject_ = Subject{request, calibration};
    if (!other) {
        select_own();
        show_buttons();
        return;
    }
    job_.drop();
    const QSignalBlocker blocker(colour_);
    colour_->clear();
    for (const Tensor& input : request.op.inputs) {
        colour_->addItem(QString::fromStdString(input.name));
    }
    show_result({});
    select_own();
    set_note_text(*note_, tr("Run (F7) judges a sample of the configurations by model, simulator and device."));
}

void CrosscheckPanel::show_devices(const std::vector<OpenClDeviceInfo>& devices)
{
    device_->show_devices(devices);
    const bool measures = !device_->selector().empty();
    x_->setCurrentIndex(static_cast<int>(measures ? Judge::device : Judge::simulator));
}

void CrosscheckPanel::run()
{
    if (!subject_) {
        set_note_text(*note_, tr("Run a study (F5) first: its operator and device profile are what is cross-checked."),
                      true);
        return;
    }
    job_.start([subject = *subject_, on = device_->selector(), samples = static_cast<std::size_t>(samples_->value())](
                   const Progress& progress, const StopToken& stop) {
        return judge_all(subject.request, subject.calibration, on, samples, progress, stop);
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
    stopping_ = true;
    job_.finish_early();
    set_note_text(*note_, tr("Stopping after the configuration that is being judged…"));
}

void CrosscheckPanel::show_result(const CrosscheckResult& result)
{
    model_->set_result(result);
    fit_columns();
    set_note_text(
        *note_, (result.interrupted ? tr("Cancelled. ") : QString()) +
                    tr("%1 of %2 configurations. ").arg(count_text(std::ssize(result.rows)), count_text(result.space)) +
                    agreement_text(result));
    show_plot();
    follow();
    show_buttons();
}

void CrosscheckPanel::show_plot()
{
    ScatterData shown;
    const Judge x = judge_in(x_);
    const Judge y = judge_in(y_);
    const bool as_ratio = mode_->currentIndex() == ratio_over_time;
    shown.axes = as_ratio ? ScatterData::Axes::ratio : ScatterData::Axes::one_scale;
    shown.x_title = judge_text(x);
    shown.y_title = as_ratio ? judge_text(y) + QStringLiteral(" / ") + judge_text(x) : judge_text(y);
    shown.y_unit = as_ratio ? QString() : QStringLiteral("ns");
    shown.x_text = [](double ns) { return time_text({ns}); };
    shown.y_text = as_ratio ? [](double ratio) { return QString::number(ratio, 'g', 3); } : shown.x_text;
    shown.empty = result().rows.empty()
                      ? tr("No cross-check yet: each configuration will be a point here")
                      : tr("No configuration has a time by both %1 and %2").arg(judge_text(y), judge_text(x));
    for (const AccessPattern pattern : all_access_patterns) {
        shown.categories << QString::fromStdString(to_string(pattern));
    }
    const auto input = static_cast<std::size_t>(std::max(0, colour_->currentIndex()));
    for (int row = 0; row < model_->rowCount(); ++row) {
        const CrosscheckRow& judged = result().rows[static_cast<std::size_t>(row)];
        const std::optional<double> x_ns = time_ns(judged, x);
        const std::optional<double> y_ns = time_ns(judged, y);
        if (x_ns && y_ns && *x_ns > 0 && *y_ns > 0) {
            shown.points.push_back({*x_ns, as_ratio ? *y_ns / *x_ns : *y_ns,
                                    static_cast<std::size_t>(judged.schedule.patterns.at(input)), tip_text(judged),
                                    row});
        }
    }
    plot_->show_data(std::move(shown));
}

void CrosscheckPanel::show_buttons()
{
    run_->setEnabled(subject_.has_value());
    cancel_->setEnabled(job_.running());
    progress_->setVisible(job_.running());
    copy_->setEnabled(!result().rows.empty());
    export_->setEnabled(!result().rows.empty());
}

void CrosscheckPanel::select_rows(const std::vector<int>& rows)
{
    QItemSelection selection;
    QModelIndex first;
    for (const int row : rows) {
        const QModelIndex index = sorted_->mapFromSource(model_->index(row, CrosscheckModel::predicted_column));
        first = first.isValid() ? first : index;
        selection.select(index.siblingAtColumn(0), index.siblingAtColumn(CrosscheckModel::output_column));
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
    session_.selection().set({subject_->request.schedule});
    follow(); // the rows may be others than when it was set
}

void CrosscheckPanel::choose(const QModelIndex& index)
{
    const QModelIndex source = sorted_->mapToSource(index);
    if (source.isValid()) {
        emit session_.configuration_chosen(result().rows[static_cast<std::size_t>(source.row())].schedule);
    }
}

void CrosscheckPanel::export_table(const std::string& path)
{
    try {
        write_file_atomically(path, crosscheck_csv(result()));
    } catch (const std::exception& error) {
        set_note_text(*note_, error.what(), true);
    }
}

void CrosscheckPanel::ask_and_export()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export the cross-check"), "crosscheck.csv", tr("CSV tables (*.csv)"));
    if (!path.isEmpty()) {
        export_table(path.toStdString());
    }
}

void CrosscheckPanel::end_with(const QString& line, bool error)
{
    set_note_text(*note_, line, error);
    show_buttons();
    emit ended();
}

} // namespace texelscope::gui
