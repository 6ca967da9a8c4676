#include "gui/network/network_panel.hpp"

#include "base/atomic_file.hpp"
#include "gui/kernel/opencl_device_box.hpp"
#include "gui/network/network_bars.hpp"
#include "gui/network/network_model.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/flow_layout.hpp"
#include "networks/models/models.hpp"
#include "workbench/study/study.hpp"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace texelscope::gui {

NetworkPanel::NetworkPanel(Session& session)
    : session_(session), model_(new NetworkModel(this)), sorted_(new QSortFilterProxyModel(this)),
      layers_model_(new LayersModel(this)), sorted_layers_(new QSortFilterProxyModel(this)),
      job_({.progressed =
                [this](const QString& stage, double fraction) {
                    show_share(*progress_, fraction);
                    set_note_text(*note_, stage);
                },
            .finished =
                [this](const std::shared_ptr<NetworkResult>& result) { show_result(result); },
            .failed = [this](const QString& line) { end_with(line, true); },
            .cancelled = [this] { end_with(tr("Cancelled."), false); }})
{
    setObjectName("network_panel");
    note_ = text_label("network_note", tr("State of the network"));
    summary_ = text_label("network_summary", tr("The network as a whole"));
    auto* parts = named(new QSplitter(Qt::Vertical), "network_splitter", {});
    parts->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 2, 4, 4);
    layout->addWidget(build_controls());
    layout->addWidget(note_);
    layout->addWidget(summary_);
    layout->addWidget(parts, 1);
    tables_ = named(new QTabWidget, "network_tables", tr("Kernels and layers"));
    tables_->addTab(build_table(), tr("Kernels"));
    tables_->addTab(build_layers(), tr("Layers"));
    parts->addWidget(tables_);
    parts->addWidget(build_plots());
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    parts->setSizes({600, 400}); // shares
    connect_parts();
    show_device();
    show_state();
}

QWidget* NetworkPanel::build_controls()
{
    network_ = named(new QComboBox, "network_model", tr("Network"));
    for (const networks::BuiltInModel& model : networks::built_in_models()) {
        network_->addItem(QString::fromStdString(model.name), QString::fromStdString(model.name));
        network_->setItemData(network_->count() - 1, QString::fromStdString(model.about),
                              Qt::ToolTipRole);
    }
    auto* open =
        push_button(tr("Open…"), "network_open", tr("Open an ONNX model"),
                    tr("Reads a network from an ONNX file; one can be dropped on the window, too"));
    connect(open, &QPushButton::clicked, this, &NetworkPanel::ask_and_open);
    batch_ = named_with_tip(new QSpinBox, "network_batch", tr("Batch"),
                            tr("Inputs at once; of an ONNX file where it leaves that open"));
    batch_->setRange(1, 65536);
    simulate_ = named_with_tip(
        new QCheckBox(tr("Simulate")), "network_simulate", tr("Simulate every kernel"),
        tr("Every kernel that differs from those before it, on the study's device"));
    accesses_ = named_with_tip(new QSpinBox, "network_accesses", tr("Warp accesses of a kernel"),
                               tr("Simulated of each kernel at most; of longer ones a sample"));
    accesses_->setRange(0, 1'000'000'000);
    accesses_->setSingleStep(10'000);
    accesses_->setGroupSeparatorShown(true);
    accesses_->setSpecialValueText(tr("all"));
    accesses_->setValue(static_cast<int>(NetworkRequest().most_accesses));
    opencl_ = new OpenClDeviceBox(session_.devices(), tr("none: nothing runs"));
    opencl_->setObjectName("network_opencl");
    opencl_->setMinimumContentsLength(16);
    check_ = named_with_tip(new QCheckBox(tr("Check")), "network_check", tr("Check every tensor"),
                            tr("Compares every tensor that a kernel makes with the reference"));
    train_ = named_with_tip(new QCheckBox(tr("Train")), "network_train", tr("Train the network"),
                            tr("Plans forward pass, loss, backward pass and step; takes ten steps "
                               "on drawn samples where it runs"));
    loss_ =
        named_with_tip(new QComboBox, "network_loss", tr("Loss"), tr("What training makes small"));
    for (const networks::Loss loss :
         {networks::Loss::cross_entropy, networks::Loss::mean_squared_error}) {
        loss_->addItem(QString::fromStdString(to_string(loss)), static_cast<int>(loss));
    }
    bars_ = named_with_tip(new QComboBox, "network_bars", tr("Bars"),
                           tr("Times, or shares of what each judge has for all kernels"));
    bars_->addItem(tr("times"), static_cast<int>(NetworkBars::times));
    bars_->addItem(tr("shares"), static_cast<int>(NetworkBars::shares));
    run_ = push_button(tr("Run"), "network_run", tr("Plan the network and ask its judges"));
    cancel_ = push_button(tr("Cancel"), "network_cancel", tr("Cancel the network (Esc)"));
    study_ =
        push_button(tr("Study kernel"), "network_study", tr("Open the selected kernel as a study"),
                    tr("Opens the selected kernel as a study (double click, Enter)"));
    copy_ = push_button(tr("Copy"), "network_copy", tr("Copy the table as CSV"));
    export_ = push_button(tr("Export…"), "network_export", tr("Export the table as CSV"));
    progress_ = progress_bar("network_progress", tr("Progress of the network"));
    progress_->setTextVisible(false);
    progress_->setFixedWidth(fontMetrics().height() * 8);

    auto* controls = new QWidget;
    auto* layout = new FlowLayout(controls);
    layout->add_labelled(tr("Network"), network_);
    layout->addWidget(open);
    layout->add_labelled(tr("Batch"), batch_);
    layout->addWidget(train_);
    layout->add_labelled(tr("loss"), loss_);
    layout->addWidget(simulate_);
    layout->add_labelled(tr("accesses"), accesses_);
    layout->add_labelled(tr("run on"), opencl_);
    for (QWidget* each :
         std::initializer_list<QWidget*>{check_, run_, cancel_, study_, copy_, export_}) {
        layout->addWidget(each);
    }
    layout->add_labelled(tr("Bars"), bars_);
    layout->addWidget(progress_);
    return controls;
}

QTableView* NetworkPanel::build_table()
{
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(NetworkModel::sort_role);
    table_ = named_with_tip(new QTableView, "network_table", tr("Kernels of the network"),
                            tr("Double click or Enter opens a kernel as a study"));
    table_->setModel(sorted_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(NetworkModel::kernel_column, Qt::AscendingOrder);
    set_up_rows(*table_);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->horizontalHeader()->setHighlightSections(false);
    give_rest_to(*table_, NetworkModel::configuration_column,
                 QStringLiteral("A=block2,…G=16x16x1"));
    hint_while_empty(*table_, [] {
        return tr("No network yet.\nChoose one above, or open an ONNX file, and run it.");
    });
    const auto add = [this](const QString& text, void (NetworkPanel::*slot)()) {
        auto* action = new QAction(text, table_);
        connect(action, &QAction::triggered, this, slot);
        table_->addAction(action);
    };
    add(tr("Open as a study"), &NetworkPanel::study_current);
    add(tr("Copy all as CSV"), &NetworkPanel::copy_table);
    add(tr("Export…"), &NetworkPanel::ask_and_export);
    table_->setColumnHidden(NetworkModel::pass_column, true); // before a network is trained
    table_->setColumnHidden(NetworkModel::layer_column, true);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    return table_;
}

QTableView* NetworkPanel::build_layers()
{
    sorted_layers_->setSourceModel(layers_model_);
    sorted_layers_->setSortRole(NetworkModel::sort_role);
    layers_ = named_with_tip(new QTableView, "network_layers", tr("Layers of the network"),
                             tr("Times of each layer in each pass, and what is kept between them"));
    layers_->setModel(sorted_layers_);
    layers_->setSortingEnabled(true);
    layers_->sortByColumn(-1, Qt::AscendingOrder); // as the forward pass has them
    set_up_rows(*layers_);
    add_table_export(*layers_, "layers.csv");
    hint_while_empty(*layers_, [] {
        return tr("Layers are those of a network that is trained.\nTick Train and run it.");
    });
    return layers_;
}

QWidget* NetworkPanel::build_plots()
{
    times_ = new PlotView(tr("Time of each kernel"));
    times_->setObjectName("network_times_plot");
    memory_ = new PlotView(tr("Memory needed while each kernel runs"));
    memory_->setObjectName("network_memory_plot");
    auto* plots = new QSplitter;
    plots->setChildrenCollapsible(false);
    for (PlotView* plot : {times_, memory_}) {
        plot->show_hint(tr("No network yet."));
        plots->addWidget(plot);
        connect(&plot->canvas(), &PlotCanvas::bar_clicked, this,
                [this](const PlacedBar& bar) { select(bar.number); });
        connect(&plot->canvas(), &PlotCanvas::bar_activated, this,
                [this](const PlacedBar& bar) { study(bar.number); });
    }
    return plots;
}

void NetworkPanel::connect_parts()
{
    const auto follow_choices = [this] {
        accesses_->setEnabled(simulate_->isChecked());
        check_->setEnabled(!opencl_->place().on.empty());
        loss_->setEnabled(train_->isChecked());
        network_->setToolTip(network_->currentData(Qt::ToolTipRole).toString());
    };
    connect(simulate_, &QCheckBox::toggled, this, follow_choices);
    connect(train_, &QCheckBox::toggled, this, follow_choices);
    connect(opencl_, &QComboBox::currentTextChanged, this, follow_choices);
    connect(network_, &QComboBox::currentIndexChanged, this, follow_choices);
    follow_choices();
    connect(run_, &QPushButton::clicked, this, &NetworkPanel::run);
    connect(cancel_, &QPushButton::clicked, this, &NetworkPanel::cancel);
    connect(study_, &QPushButton::clicked, this, &NetworkPanel::study_current);
    connect(copy_, &QPushButton::clicked, this, &NetworkPanel::copy_table);
    connect(export_, &QPushButton::clicked, this, &NetworkPanel::ask_and_export);
    connect(bars_, &QComboBox::currentIndexChanged, this, &NetworkPanel::show_times);
    connect(table_, &QTableView::activated, this, &NetworkPanel::study_current);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &NetworkPanel::mark_selected);
    connect(&session_, &Session::study_shown, this, &NetworkPanel::show_device);
    connect(&session_, &Session::network_opened, this, [this](const QString& path) {
        emit session_.asked_for(this);
        open(path);
    });
    connect(&session_, &Session::devices_found, this,
            [this](const std::vector<OpenClDeviceInfo>& devices) {
                opencl_->show_devices(devices);
                opencl_->choose_none(); // until one is asked for
            });
}

const std::shared_ptr<const NetworkResult>& NetworkPanel::result() const
{
    return model_->result();
}

NetworkRequest NetworkPanel::request() const
{
    NetworkRequest asked{network_->currentData().toString().toStdString(),
                         batch_->value(),
                         session_.form(),
                         simulate_->isChecked(),
                         accesses_->value(),
                         opencl_->place(),
                         check_->isChecked()};
    if (train_->isChecked()) {
        asked.training.emplace().loss = static_cast<networks::Loss>(loss_->currentData().toInt());
    }
    return asked;
}

void NetworkPanel::open(const QString& path)
{
    if (network_->findData(path) < 0) {
        network_->addItem(QFileInfo(path).fileName(), path);
        network_->setItemData(network_->count() - 1, path, Qt::ToolTipRole);
    }
    network_->setCurrentIndex(network_->findData(path));
    run();
}

void NetworkPanel::ask_and_open()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open an ONNX model"), {},
                                                      tr("ONNX models (*.onnx);;All files (*)"));
    if (!path.isEmpty()) {
        open(path);
    }
}

void NetworkPanel::run()
{
    job_.start([asked = request()](const Progress& progress, const StopToken& stop) {
        return judge_network(asked, progress, stop);
    });
    progress_->setValue(0);
    set_note_text(*note_, tr("Starting"));
    show_state();
    session_.jobs().started(*this);
}

void NetworkPanel::show_device()
{
    const QString device = QString::fromStdString(session_.form().device);
    run_->setToolTip(tr("Plans the network for %1, the study's device").arg(device));
    if (!result() && !job_.running()) {
        set_note_text(*note_, tr("Run plans the network for %1, the study's device: a schedule for "
                                 "every kernel, a layout for "
                                 "every tensor.")
                                  .arg(device));
    }
}

void NetworkPanel::show_result(std::shared_ptr<const NetworkResult> result)
{
    model_->set_result(std::move(result));
    const NetworkResult& shown = *this->result();
    layers_model_->set_result(this->result());
    tables_->setTabEnabled(1, shown.judged.training.has_value());
    layers_->resizeColumnsToContents();
    summary_->setText(summary_text(shown));
    fit_columns();
    show_times();
    memory_->show_plot(network_memory_plot(shown));
    mark_selected();
    end_with(tr("Double click or Enter opens a kernel as a study."), false);
}

void NetworkPanel::show_times()
{
    if (result()) {
        times_->show_plot(
            network_times_plot(*result(), static_cast<NetworkBars>(bars_->currentData().toInt())));
    }
}

void NetworkPanel::fit_columns()
{
    const int widest = fontMetrics().averageCharWidth() * 20;
    for (int column = 0; column < model_->columnCount(); ++column) {
        table_->setColumnHidden(column, !model_->has_column(column));
        if (column != NetworkModel::configuration_column) {
            table_->resizeColumnToContents(column);
            // tool tips have the rest
            table_->setColumnWidth(column, std::min(table_->columnWidth(column), widest));
        }
    }
}

void NetworkPanel::show_state()
{
    cancel_->setVisible(job_.running());
    progress_->setVisible(job_.running());
    summary_->setVisible(result() != nullptr);
    for (QWidget* each : {copy_, export_}) {
        each->setEnabled(result() != nullptr);
    }
    study_->setEnabled(current().has_value());
    for (QAction* action : table_->actions()) {
        action->setEnabled(result() != nullptr);
    }
}

void NetworkPanel::mark_selected()
{
    std::vector<PlotRange> times;
    std::vector<PlotRange> memory;
    const auto judges = static_cast<std::size_t>(std::ranges::count_if(
        all_judges, [this](Judge judge) { return result() && result()->judged.has(judge); }));
    for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
        const auto kernel = static_cast<std::size_t>(sorted_->mapToSource(index).row());
        times.push_back(kernel_range(kernel, judges));
        memory.push_back(kernel_range(kernel, 1));
    }
    times_->canvas().mark(std::move(times));
    memory_->canvas().mark(std::move(memory));
    study_->setEnabled(current().has_value());
}

void NetworkPanel::select(std::size_t kernel)
{
    const QModelIndex row = sorted_->mapFromSource(model_->index(static_cast<int>(kernel), 0));
    table_->selectRow(row.row());
    table_->scrollTo(row);
}

std::optional<std::size_t> NetworkPanel::current() const
{
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty()) {
        return std::nullopt;
    }
    // Of several selected rows the one with the focus; it need not be among the selected.
    const QModelIndex focused = table_->currentIndex().siblingAtColumn(0);
    return static_cast<std::size_t>(
        sorted_->mapToSource(rows.contains(focused) ? focused : rows.front()).row());
}

void NetworkPanel::study_current()
{
    if (const auto kernel = current()) {
        study(*kernel);
    }
}

void NetworkPanel::study(std::size_t kernel)
{
    const StudyForm form = study_of_kernel(*result(), kernel);
    emit session_.form_chosen(
        form, tr("F4 goes back to the network, F5 runs another configuration of the kernel"));
}

void NetworkPanel::copy_table()
{
    QGuiApplication::clipboard()->setText(QString::fromStdString(network_csv(*result())));
}

void NetworkPanel::export_table(const std::string& path)
{
    try {
        write_file_atomically(path, network_csv(*result()));
    } catch (const std::exception& error) {
        set_note_text(*note_, error.what(), true);
    }
}

void NetworkPanel::ask_and_export()
{
    ask_and_write(this, tr("Export the network"), "network.csv", tr("CSV tables (*.csv)"),
                  [this](const std::string& path) { export_table(path); });
}

void NetworkPanel::end_with(const QString& line, bool error)
{
    set_note_text(*note_, line, error);
    show_state();
    emit ended();
}

} // namespace texelscope::gui
