#include "gui/figures/figures_panel.hpp"

#include "base/lists.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/kept_experiment.hpp"
#include "gui/figures/experiment_model.hpp"
#include "gui/kernel/opencl_device_box.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/study/study_form.hpp"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>
#include <utility>

namespace texelscope::gui {
namespace {

/// The profile that an experiment is of; empty where it is of any.
std::string_view own_device(const Experiment& experiment)
{
    return experiment.only_device.empty() ? experiment.paper_device : experiment.only_device;
}

/// The profiles and, where a device was measured, which.
QString where_of(const std::string& profiles, const ExperimentResult& result)
{
    const QString simulated = QString::fromStdString(profiles);
    return result.measured_on.empty()
               ? simulated
               : tr("%1 and %2").arg(simulated, QString::fromStdString(result.measured_on));
}

/// The work of the background job. `place` without a device: the simulator runs it.
Figure run_figure(const Experiment& experiment, const std::vector<DeviceProfile>& devices,
                  const DevicePlace& place, const Progress& progress, const StopToken& stop)
{
    const auto run = [&] {
        if (experiment.surveys()) {
            return experiment.run(devices, progress, stop);
        }
        return place.on.empty()
                   ? experiment.run(devices.front(), progress, stop)
                   : experiment.run_on(place.on, place.how, devices.front(), progress, stop);
    };
    ExperimentResult result = run();
    const QString where = where_of(base::joined(devices, &DeviceProfile::name), result);
    return {&experiment, std::move(result), where};
}

} // namespace

FiguresPanel::FiguresPanel(Session& session)
    : session_(session), model_(new ExperimentModel(this)), view_(new FigureView),
      chosen_(&all_experiments().front()),
      job_({.progressed =
                [this](const QString& stage, double fraction) {
                    show_share(*progress_, fraction);
                    set_note_text(*note_, stage);
                },
            .finished =
                [this](const std::shared_ptr<Figure>& figure) {
                    show_figure(figure, tr("%1 was run on %2.")
                                            .arg(text_of(figure->experiment->name), figure->where));
                },
            .failed = [this](const QString& line) { end_with(line, true); },
            .cancelled = [this] { end_with(tr("Cancelled."), false); }})
{
    setObjectName("figures_panel");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 2, 4, 4);
    layout->addWidget(list_beside_view(build_side(), view_));

    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                if (const Experiment* one = model_->experiment(index)) {
                    chosen_ = one;
                    show_chosen();
                }
            });
    connect(list_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (model_->experiment(index) != nullptr) {
            run();
        }
    });
    connect(run_, &QPushButton::clicked, this, &FiguresPanel::run);
    connect(cancel_, &QPushButton::clicked, this, &FiguresPanel::cancel);
    connect(&session_, &Session::devices_found, this,
            [this](const std::vector<OpenClDeviceInfo>& devices) {
                opencl_->show_devices(devices);
                opencl_->choose_none(); // until one is asked for
            });
    connect(&session_, &Session::study_shown, this, [this] { show_devices_of(*chosen_); });
    list_->setCurrentIndex(model_->index_of(*chosen_));
    show_chosen();
}

QWidget* FiguresPanel::build_side()
{
    list_ = named_with_tip(new QTreeView, "figures_list", tr("Figures and tables of the papers"),
                           tr("Double click or Enter runs an experiment"));
    list_->setModel(model_);
    list_->setAlternatingRowColors(true);
    list_->setRootIsDecorated(false);
    list_->setItemsExpandable(false);
    list_->setIndentation(fontMetrics().height() / 2);
    list_->expandAll();
    for (int paper = 0; paper < model_->rowCount(); ++paper) {
        list_->setFirstColumnSpanned(paper, {}, true);
    }
    list_->header()->setSectionResizeMode(ExperimentModel::name_column,
                                          QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(ExperimentModel::findings_column,
                                          QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(ExperimentModel::title_column, QHeaderView::Stretch);
    list_->header()->setStretchLastSection(false);

    about_ = named(new QLabel, "figures_about", tr("The experiment"));
    about_->setWordWrap(true);
    about_->setTextFormat(Qt::RichText);
    device_ = named(new QComboBox, "figures_device", tr("Simulated device"));
    device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    opencl_ = new OpenClDeviceBox(session_.devices(), tr("none: the simulator alone"));
    opencl_->setObjectName("figures_opencl");
    run_ = push_button(tr("Run"), "figures_run", tr("Run the experiment"));
    cancel_ = push_button(tr("Cancel"), "figures_cancel", tr("Cancel the experiment (Esc)"));
    auto* open =
        push_button(tr("Open…"), "figures_open", tr("Open a result"),
                    tr("NAME.json, as texelscope experiment NAME --out DIR has written it"));
    connect(open, &QPushButton::clicked, this, &FiguresPanel::ask_and_open);
    progress_ = progress_bar("figures_progress", tr("Progress of the experiment"));
    note_ = text_label("figures_note", tr("State of the experiment"));
    note_->setWordWrap(true);

    const auto labelled = [](const QString& label, QWidget* control) {
        auto* row = new QWidget;
        auto* in = new QHBoxLayout(row);
        in->setContentsMargins(0, 0, 0, 0);
        in->addWidget(label_for(label, control));
        in->addWidget(control, 1);
        return row;
    };
    opencl_row_ = labelled(tr("and on"), opencl_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(run_);
    buttons->addWidget(cancel_);
    buttons->addWidget(open);
    auto* side = new QWidget;
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(list_, 1);
    layout->addWidget(about_);
    layout->addWidget(labelled(tr("On"), device_));
    layout->addWidget(opencl_row_);
    layout->addLayout(buttons);
    layout->addWidget(progress_);
    layout->addWidget(note_);
    return side;
}

void FiguresPanel::choose(const std::string& name)
{
    list_->setCurrentIndex(model_->index_of(find_experiment(name)));
}

void FiguresPanel::open(const std::string& path)
{
    try {
        DoneExperiment done = read_experiment_file(path);
        choose(std::string(done.experiment.name));
        const QString where = where_of(done.device, done.result);
        const auto figure =
            std::make_shared<Figure>(Figure{chosen_, std::move(done.result), where});
        show_figure(figure,
                    tr("%1 on %2, from %3")
                        .arg(text_of(chosen_->name), figure->where, QString::fromStdString(path)));
    } catch (const std::exception& error) {
        end_with(error.what(), true);
    }
}

void FiguresPanel::ask_and_open()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open the result of an experiment"),
                                                      {}, tr("Results (*.json);;All files (*)"));
    if (!path.isEmpty()) {
        open(path.toStdString());
    }
}

void FiguresPanel::show_chosen()
{
    about_->setText(
        tr("<b>%1</b>: %2.<br>%3.<br>Takes %4 of processor time%5.")
            .arg(text_of(chosen_->name).toHtmlEscaped(), text_of(chosen_->title).toHtmlEscaped(),
                 text_of(chosen_->source).toHtmlEscaped(), QString::fromStdString(chosen_->takes()),
                 chosen_->surveys() ? tr(" on all devices, on one its share") : QString()));
    device_->clear();
    show_devices_of(*chosen_);
    opencl_row_->setVisible(chosen_->runs_on_devices());
    const auto figure = figures_.find(chosen_->name);
    if (figure != figures_.end()) {
        view_->show_figure(figure->second);
    } else {
        view_->show_hint(tr("%1 was not run yet.\n“Run” does it again on %2.")
                             .arg(text_of(chosen_->name), device_->currentText()));
    }
    show_state();
}

void FiguresPanel::show_devices_of(const Experiment& experiment)
{
    // The user's choice stays where the new list has it.
    const QVariant before = device_->currentData();
    device_->clear();
    const auto add = [this](On on, const QString& text) {
        device_->addItem(text, static_cast<int>(on));
    };
    if (const std::string_view own = own_device(experiment); !own.empty()) {
        add(On::own, experiment.only_device.empty() ? tr("%1, the paper's").arg(text_of(own))
                                                    : text_of(own));
    }
    if (experiment.only_device.empty()) {
        add(On::study, tr("%1, the study's").arg(QString::fromStdString(session_.form().device)));
    }
    if (experiment.surveys()) {
        add(On::all, tr("all %1 devices").arg(profile_names().size()));
    }
    device_->setCurrentIndex(std::max(0, device_->findData(before)));
    device_->setEnabled(device_->count() > 1);
}

std::vector<DeviceProfile> FiguresPanel::devices() const
{
    switch (static_cast<On>(device_->currentData().toInt())) {
    case On::own:
        return {find_profile(std::string(own_device(*chosen_)))};
    case On::all:
        return base::mapped(profile_names(),
                            [](const std::string& name) { return find_profile(name); });
    case On::study:
        break;
    }
    return {device_of(session_.form())};
}

void FiguresPanel::run()
{
    try {
        job_.start([experiment = chosen_, devices = devices(),
                    place = chosen_->runs_on_devices() ? opencl_->place() : DevicePlace{}](
                       const Progress& progress, const StopToken& stop) {
            return run_figure(*experiment, devices, place, progress, stop);
        });
    } catch (const std::exception& error) { // the study's device, as it is written there
        end_with(error.what(), true);
        return;
    }
    progress_->setValue(0);
    set_note_text(*note_, tr("Starting"));
    show_state();
    session_.jobs().started(*this);
}

void FiguresPanel::show_figure(const std::shared_ptr<Figure>& figure, const QString& note)
{
    figures_[figure->experiment->name] = figure;
    model_->set_counts(*figure->experiment, counted(figure->result.findings));
    if (figure->experiment == chosen_) {
        view_->show_figure(figure);
    }
    end_with(note, false);
}

void FiguresPanel::show_state()
{
    cancel_->setEnabled(job_.running());
    progress_->setVisible(job_.running());
}

void FiguresPanel::end_with(const QString& line, bool error)
{
    set_note_text(*note_, line, error);
    show_state();
    emit ended();
}

} // namespace texelscope::gui
