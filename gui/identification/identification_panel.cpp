#include "gui/identification/identification_panel.hpp"

#include "base/error.hpp"
#include "devices/targets/job_target.hpp"
#include "gui/kernel/opencl_device_box.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/flow_layout.hpp"
#include "workbench/study/study_form.hpp"

#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <utility>

namespace texelscope::gui {
namespace {

constexpr int walk_samples = 5; // of each walk on a real device, as the command line takes

/// With the walks to measure next.
IdentifiedCache with_next(Identified identified, const IdentifyOptions& options,
                          const StopToken& stop)
{
    // Walks to propose, each as long as those that were measured.
    constexpr std::size_t count = 20;
    const auto steps =
        static_cast<std::int64_t>(identified.rounds.measured.walks.front().texels.size());
    std::vector<TexelWalk> next =
        next_walks(identified.rounds, count, steps, options.seed, options.threads, stop);
    return {std::move(identified), std::move(next)};
}

} // namespace

IdentificationPanel::IdentificationPanel(Session& session)
    : session_(session), view_(new IdentificationView),
      job_({.progressed =
                [this](const QString& stage, double fraction) {
                    show_share(*progress_, fraction);
                    set_note_text(*note_, stage);
                },
            .finished =
                [this](const std::shared_ptr<IdentifiedCache>& identified) {
                    const MeasuredWalks& measured = identified->identified.rounds.measured;
                    // that was taken
                    image_->setPlaceholderText(QStringLiteral("%1x%2x%3")
                                                   .arg(measured.extent.width)
                                                   .arg(measured.extent.height)
                                                   .arg(measured.bytes_per_texel.value));
                    view_->show_identified(identified);
                    end_with({}, false);
                },
            .failed = [this](const QString& line) { end_with(line, true); },
            .cancelled = [this] { end_with(tr("Cancelled."), false); }})
{
    setObjectName("identification_panel");
    note_ = text_label("identification_note", tr("State of the identification"));
    note_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 2, 4, 4);
    layout->addWidget(build_row());
    layout->addWidget(note_);
    layout->addWidget(view_, 1);
    connect(open_, &QPushButton::clicked, this, &IdentificationPanel::ask_and_open);
    connect(measure_, &QPushButton::clicked, this, &IdentificationPanel::measure);
    connect(cancel_, &QPushButton::clicked, this, &IdentificationPanel::cancel);
    connect(&session_, &Session::devices_found, this,
            [this](const std::vector<OpenClDeviceInfo>& devices) {
                device_->show_devices(devices);
                device_->choose_none(); // until one is asked for
            });
    set_note_text(*note_, tr("Pointer chases are slow where their reads leave the cache. Which of "
                             "them do says how texels lie in "
                             "memory and what the cache is."));
    show_state();
}

QWidget* IdentificationPanel::build_row()
{
    open_ = push_button(
        tr("Open walks…"), "identification_open_walks", tr("Identify the cache of measured walks"),
        tr("A file of walks (walk,step,x,y), and one of their latencies (walk,ns_per_read)"));
    image_ = named_with_tip(
        new QLineEdit, "identification_image", tr("Image of the walks"),
        tr("WIDTHxHEIGHTxBYTES: the image in texels, bytes per texel. Empty: for a device "
           "1024x1024x16, for files the least square of RGBA float32 that holds the walks"));
    image_->setPlaceholderText(QStringLiteral("1024x1024x16"));
    image_->setMaximumWidth(fontMetrics().horizontalAdvance(QStringLiteral("16384x16384x16___")));
    device_ = new OpenClDeviceBox(session_.devices(), tr("the study's, simulated"));
    device_->setObjectName("identification_device");
    device_->setMinimumContentsLength(20);
    walks_ =
        named_with_tip(new QSpinBox, "identification_walks", tr("Walks"),
                       tr("Half of them are drawn at random, the others ask what is still open"));
    walks_->setRange(20, 1000);
    walks_->setValue(static_cast<int>(IdentifyRounds().walks));
    measure_ = push_button(tr("Measure"), "identification_measure",
                           tr("Measure walks and identify the cache"),
                           tr("The study's device in the simulator, or an OpenCL device"));
    cancel_ =
        push_button(tr("Cancel"), "identification_cancel", tr("Cancel the identification (Esc)"));
    progress_ = progress_bar("identification_progress", tr("Progress of the identification"));
    progress_->setFixedWidth(fontMetrics().height() * 8);
    auto* row = new QWidget;
    auto* layout = new FlowLayout(row);
    layout->addWidget(open_);
    layout->add_labelled(tr("Image"), image_);
    layout->addWidget(measure_);
    layout->add_labelled(tr("Walks"), walks_);
    layout->add_labelled(tr("on"), device_);
    layout->addWidget(cancel_);
    layout->addWidget(progress_);
    return row;
}

void IdentificationPanel::ask_and_open()
{
    const QString walks = QFileDialog::getOpenFileName(
        this, tr("Open walks"), {}, tr("Walks (*.csv *.csv.gz *.csv.xz *.csv.zst);;All files (*)"));
    if (walks.isEmpty()) {
        return;
    }
    QString latencies = QString::fromStdString(latencies_beside(walks.toStdString()));
    if (latencies.isEmpty()) {
        latencies = QFileDialog::getOpenFileName(this, tr("Open the latencies of these walks"), {},
                                                 tr("Latencies (*.csv);;All files (*)"));
    }
    if (!latencies.isEmpty()) {
        open(walks.toStdString(), latencies.toStdString());
    }
}

std::optional<Image> IdentificationPanel::image() const
{
    const std::string text = image_->text().trimmed().toStdString();
    return text.empty() ? std::nullopt : std::optional(parse_walks_image(text, "Image"));
}

void IdentificationPanel::open(const std::string& walks, const std::string& latencies)
{
    try {
        // Walks and latencies are two files, often side by side.
        const std::string beside = latencies.empty() ? latencies_beside(walks) : latencies;
        if (beside.empty()) {
            throw bad_input("there are no latencies beside these walks", walks,
                            "name their file, too");
        }
        start([files = WalkFiles{walks, beside, image()}](const Progress& progress,
                                                          const StopToken& stop) {
            const IdentifyOptions options;
            return with_next(identify_files(files, options, progress, stop), options, stop);
        });
    } catch (const std::exception& error) {
        end_with(error.what(), true);
    }
}

void IdentificationPanel::measure()
{
    try {
        IdentifyRounds asked;
        asked.walks = walks_->value();
        if (const std::optional<Image> given = image()) {
            asked.extent = given->extent;
            asked.bytes_per_texel = given->bytes_per_texel;
        }
        start([asked, place = device_->place(), device = device_of(session_.form())](
                  const Progress& progress, const StopToken& stop) {
            const IdentifyOptions options;
            if (place.on.empty()) {
                return with_next(identify_profile(device, {asked, 0}, options, progress, stop),
                                 options, stop);
            }
            const std::unique_ptr<Target> target = open_target(place.on, place.how, stop);
            return with_next(
                identify_target(*target, asked, walk_samples, {}, options, progress, stop), options,
                stop);
        });
    } catch (const std::exception& error) {
        end_with(error.what(), true);
    }
}

void IdentificationPanel::start(BackgroundJob<IdentifiedCache>::Work work)
{
    job_.start(std::move(work));
    progress_->setValue(0);
    set_note_text(*note_, tr("Starting"));
    view_->show_waiting();
    note_->show();
    show_state();
    session_.jobs().started(*this);
}

void IdentificationPanel::show_state()
{
    cancel_->setEnabled(job_.running());
    progress_->setVisible(job_.running());
}

void IdentificationPanel::end_with(const QString& line, bool error)
{
    set_note_text(*note_, line, error);
    note_->setVisible(!line.isEmpty()); // the summary then is all
    view_->show_waiting(false);
    show_state();
    emit ended();
}

} // namespace texelscope::gui
