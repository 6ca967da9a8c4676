#include "gui/probes/probes_panel.hpp"

#include "base/lists.hpp"
#include "devices/targets/job_target.hpp"
#include "devices/targets/simulated_target.hpp"
#include "gui/kernel/opencl_device_box.hpp"
#include "gui/probes/probe_view.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/probes/kept_probes.hpp"
#include "workbench/study/study_form.hpp"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <utility>

namespace texelscope::gui {
namespace {

constexpr double most_seconds = 120; // of a probe on a real device, as the command line takes

/// The work of the background job: all probes that are asked for and those that they need, beside
/// what is known of the device. Where `stop` says so, those that are done.
ProbedDevice probed(ProbedDevice device, const std::vector<const Probe*>& chosen, ProbeRun run,
                    const Progress& progress, const StopToken& stop)
{
    run.options.stop = stop;
    device.info = run.open(stop)->info();
    Known known;
    for (const auto& [name, record] : device.records) {
        learn(known, record);
    }
    const std::vector<const Probe*> all = with_needed(chosen, known);
    try {
        for (std::size_t i = 0; i < all.size(); ++i) {
            base::tell(progress, all[i]->name, i, all.size());
            ProbeRecord record = run_probe(*all[i], run, device.info, known);
            learn(known, record);
            device.records[all[i]->name] = std::move(record);
        }
    } catch (const Interrupted&) {
        if (device.records.empty()) {
            throw;
        }
    }
    return device;
}

} // namespace

ProbesPanel::ProbesPanel(Session& session)
    : session_(session), model_(new ProbeModel(this)), view_(new ProbeView),
      job_({.progressed =
                [this](const QString& stage, double fraction) {
                    show_share(*progress_, fraction);
                    if (!stopping_) {
                        set_note_text(*note_, stage);
                    }
                },
            .finished =
                [this](const std::shared_ptr<ProbedDevice>& device) {
                    show_device(std::move(*device));
                    end_with(stopping_ ? tr("Cancelled; what was done is kept.") : QString(),
                             false);
                },
            .failed = [this](const QString& line) { end_with(line, true); },
            .cancelled = [this] { end_with(tr("Cancelled."), false); }})
{
    setObjectName("probes_panel");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 2, 4, 4);
    layout->addWidget(list_beside_view(build_side(), view_));

    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &ProbesPanel::show_chosen);
    connect(list_, &QTableView::activated, this, [this] { run(selected()); });
    connect(run_, &QPushButton::clicked, this, [this] { run(selected()); });
    connect(run_all_, &QPushButton::clicked, this,
            [this] { run(base::mapped(probes(), [](const Probe& probe) { return &probe; })); });
    connect(cancel_, &QPushButton::clicked, this, &ProbesPanel::cancel);
    connect(&session_, &Session::devices_found, this,
            [this](const std::vector<OpenClDeviceInfo>& devices) {
                opencl_->show_devices(devices);
                opencl_->choose_none(); // until one is asked for
            });
    list_->selectRow(0);
    show_chosen();
    show_state();
}

QWidget* ProbesPanel::build_side()
{
    list_ = named_with_tip(new QTableView, "probes_list", tr("Probes"),
                           tr("Double click or Enter runs a probe"));
    list_->setModel(model_);
    set_up_rows(*list_);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->horizontalHeader()->setHighlightSections(false);
    list_->horizontalHeader()->setSectionResizeMode(ProbeModel::name_column,
                                                    QHeaderView::ResizeToContents);
    list_->horizontalHeader()->setSectionResizeMode(ProbeModel::about_column, QHeaderView::Stretch);
    list_->horizontalHeader()->setSectionResizeMode(ProbeModel::state_column,
                                                    QHeaderView::ResizeToContents);
    opencl_ = new OpenClDeviceBox(session_.devices(), tr("the study's, simulated"));
    opencl_->setObjectName("probes_opencl");
    run_ = push_button(tr("Run selected"), "probes_run", tr("Run the selected probes"),
                       tr("With those that find what they need"));
    run_all_ = push_button(tr("Run all"), "probes_run_all", tr("Run all probes"));
    cancel_ = push_button(tr("Cancel"), "probes_cancel", tr("Cancel the probes (Esc)"));
    auto* open = push_button(tr("Open folder…"), "probes_open", tr("Open a folder of probes"),
                             tr("What texelscope probe --out has written"));
    connect(open, &QPushButton::clicked, this, &ProbesPanel::ask_and_open);
    progress_ = progress_bar("probes_progress", tr("Progress of the probes"));
    note_ = text_label("probes_note", tr("State of the probes"));
    note_->setWordWrap(true);

    auto* device = new QHBoxLayout;
    device->addWidget(label_for(tr("Device"), opencl_));
    device->addWidget(opencl_, 1);
    auto* buttons = new QHBoxLayout;
    for (QPushButton* button : {run_, run_all_, cancel_, open}) {
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    auto* side = new QWidget;
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(list_, 1);
    layout->addLayout(device);
    layout->addLayout(buttons);
    layout->addWidget(progress_);
    layout->addWidget(note_);
    return side;
}

void ProbesPanel::open_folder(const std::string& folder)
{
    const KeptProbes kept = read_probe_folder(folder);
    ProbedDevice device{{}, target_of(kept, folder), {}};
    for (const ProbeRecord& record : kept.records) {
        device.records[record.name] = record;
    }
    const std::string first = kept.records.front().name;
    show_device(std::move(device));
    for (int row = 0; row < model_->rowCount(); ++row) {
        if (model_->index(row, ProbeModel::name_column).data().toString().toStdString() == first) {
            list_->selectRow(row);
        }
    }
    show_chosen();
    end_with(tr("%1, from %2")
                 .arg(QString::fromStdString(device_.info.name), QString::fromStdString(folder)),
             false);
}

void ProbesPanel::ask_and_open()
{
    const QString path = QFileDialog::getExistingDirectory(this, tr("Open probe folder"));
    if (path.isEmpty()) {
        return;
    }
    try {
        open_folder(path.toStdString());
    } catch (const std::exception& error) {
        end_with(error.what(), true);
    }
}

std::vector<const Probe*> ProbesPanel::selected() const
{
    return base::mapped(list_->selectionModel()->selectedRows(), [](const QModelIndex& index) {
        return &probes()[static_cast<std::size_t>(index.row())];
    });
}

void ProbesPanel::run(const std::vector<const Probe*>& chosen)
{
    if (chosen.empty()) {
        end_with(tr("Select the probes to run first."), true);
        return;
    }
    try {
        const DevicePlace place = opencl_->place();
        ProbeRun how;
        ProbedDevice device;
        if (place.on.empty()) {
            const DeviceProfile profile = device_of(session_.form());
            how.open = [profile](const StopToken& stop) {
                return std::make_unique<SimulatedTarget>(profile, 0, 1, stop);
            };
            // The whole profile, because two with the same name may have other overrides.
            device.on = "sim:" + to_xml(profile);
        } else {
            how.open = [place](const StopToken& stop) {
                return open_target(place.on, place.how, stop);
            };
            how.time_limit = most_seconds;
            device.on = place.on;
        }
        // The same device: what was found before is kept and need not be measured again.
        if (device.on == device_.on) {
            device = device_;
        }
        job_.start([how, device, chosen](const Progress& progress, const StopToken& stop) {
            return probed(device, chosen, how, progress, stop);
        });
    } catch (const std::exception& error) {
        end_with(error.what(), true);
        return;
    }
    stopping_ = false;
    progress_->setValue(0);
    set_note_text(*note_, tr("Starting"));
    show_state();
    session_.jobs().started(*this);
}

void ProbesPanel::cancel()
{
    if (stopping_) {
        job_.cancel();
    } else if (job_.running()) {
        stopping_ = true;
        job_.finish_early();
        set_note_text(*note_, tr("Stopping…"));
    }
}

void ProbesPanel::show_chosen()
{
    const QModelIndex current = list_->currentIndex();
    if (!current.isValid()) {
        return;
    }
    const Probe& probe = probes()[static_cast<std::size_t>(current.row())];
    const auto record = device_.records.find(probe.name);
    if (record != device_.records.end()) {
        view_->show_record(probe, record->second, device_.info.name);
    } else {
        view_->show_hint(
            tr("%1 was not run yet.\nIt measures %2.")
                .arg(QString::fromStdString(probe.name), QString::fromStdString(probe.about)));
    }
}

void ProbesPanel::show_device(ProbedDevice device)
{
    device_ = std::move(device);
    model_->set_records(device_.records);
    show_chosen();
}

void ProbesPanel::show_state()
{
    cancel_->setEnabled(job_.running());
    progress_->setVisible(job_.running());
}

void ProbesPanel::end_with(const QString& line, bool error)
{
    set_note_text(
        *note_, line.isEmpty() ? tr("On %1.").arg(QString::fromStdString(device_.info.name)) : line,
        error);
    show_state();
    emit ended();
}

} // namespace texelscope::gui
