// Plays the accesses of a study one after the other. The accesses are recorded (in the background)
// when the bar is first shown, up to a limit of memory; the slider's value is the number of the
// access that is shown.

#include "gui/heat_map/playback_bar.hpp"

#include "gui/widgets/controls.hpp"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace texelscope::gui {
namespace {

constexpr std::size_t default_limit = 3'000'000; // about 100 MB
// Where more accesses a second are wanted, several come at once in each tick.
constexpr int ticks_per_second = 25;

enum class Transport { first, previous, play, pause, next, last };

constexpr int side = 16;

/// A triangle that points to the right.
const QPolygonF arrow{QPointF(4, 3), QPointF(4, 13), QPointF(12, 8)};
const QRectF bar(11, 3, 2, 10);

void draw(QPainter& painter, Transport button)
{
    switch (button) {
    case Transport::play:
        painter.drawPolygon(arrow);
        return;
    case Transport::pause:
        painter.drawRect(QRectF(4, 3, 3, 10));
        painter.drawRect(QRectF(9, 3, 3, 10));
        return;
    case Transport::next:
        painter.drawPolygon(arrow.translated(-2, 0));
        painter.drawRect(bar);
        return;
    case Transport::last:
        painter.drawPolygon(arrow.translated(-4, 0));
        painter.drawPolygon(arrow.translated(1, 0));
        painter.drawRect(bar.translated(2, 0));
        return;
    case Transport::previous:
    case Transport::first: // the same, mirrored
        painter.translate(side, 0);
        painter.scale(-1, 1);
        draw(painter, button == Transport::first ? Transport::last : Transport::next);
        return;
    }
}

QPixmap pixmap(Transport button, const QColor& colour, double pixel_ratio)
{
    QPixmap picture(QSize(side, side) * pixel_ratio);
    picture.setDevicePixelRatio(pixel_ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    draw(painter, button);
    return picture;
}

/// The usual picture of a playback button, in the palette's text colour, sharp at every pixel
/// ratio.
QIcon transport_icon(Transport button, const QPalette& palette, double pixel_ratio)
{
    QIcon icon(pixmap(button, palette.color(QPalette::ButtonText), pixel_ratio));
    icon.addPixmap(
        pixmap(button, palette.color(QPalette::Disabled, QPalette::ButtonText), pixel_ratio),
        QIcon::Disabled);
    return icon;
}

QToolButton* add_button(QHBoxLayout* row, const char* object_name, const QString& name,
                        const QString& tip)
{
    auto* button = named_with_tip(new QToolButton, object_name, name, tip);
    button->setAutoRaise(true);
    row->addWidget(button);
    return button;
}

} // namespace

PlaybackBar::PlaybackBar(QWidget* parent)
    : QWidget(parent), limit_(default_limit), slider_(new QSlider(Qt::Horizontal)),
      speed_(new QComboBox), label_(new QLabel),
      job_(
          {[this](const QString&, double fraction) {
               label_->setText(tr("Recording the accesses… %1 %").arg(std::floor(100 * fraction)));
           },
           [this](const std::shared_ptr<AccessRecording>& recording) { show_recording(recording); },
           [this](const QString& line) { label_->setText(line); },
           [this] { label_->setText(tr("Cancelled. Space records the accesses.")); }})
{
    setObjectName("playback_bar");
    auto* row = new QHBoxLayout;
    row->setSpacing(2);
    first_ = add_button(row, "playback_first", tr("First access"), tr("First access"));
    previous_ =
        add_button(row, "playback_previous", tr("Previous access"), tr("Previous access (,)"));
    play_ = add_button(row, "playback_play", tr("Play"), tr("Play or pause (Space)"));
    next_ = add_button(row, "playback_next", tr("Next access"), tr("Next access (.)"));
    last_ = add_button(row, "playback_last", tr("Last access"), tr("Last access"));
    named_with_tip(slider_, "playback_slider", tr("Access"),
                   tr("The warp access that is shown, in the order of the simulation"));
    row->addWidget(slider_, 1);
    named_with_tip(speed_, "playback_speed", tr("Accesses per second"));
    for (const int speed : {2, 10, 50, 250, 1000, 10000}) {
        speed_->addItem(tr("%1 / s").arg(count_text(speed)), speed);
    }
    speed_->setCurrentIndex(1);
    row->addWidget(speed_);
    label_->setObjectName("playback_label");
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // A long line is cut off, rather than widening the window.
    label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(row);
    layout->addWidget(label_);

    connect(first_, &QToolButton::clicked, this, [this] { go_to(0); });
    connect(previous_, &QToolButton::clicked, this, [this] { step(-1); });
    connect(play_, &QToolButton::clicked, this, &PlaybackBar::toggle_playing);
    connect(next_, &QToolButton::clicked, this, [this] { step(1); });
    connect(last_, &QToolButton::clicked, this, [this] { go_to(count() - 1); });
    connect(slider_, &QSlider::valueChanged, this, &PlaybackBar::show_frame);
    connect(speed_, &QComboBox::currentIndexChanged, this, &PlaybackBar::show_speed);
    connect(&timer_, &QTimer::timeout, this, [this] {
        step(accesses_per_tick_);
        if (number() + 1 >= count()) {
            set_playing(false);
        }
    });
    show_speed();
    show_recording(nullptr);
    hide();
}

void PlaybackBar::show_study(std::shared_ptr<const LaunchResult> study)
{
    job_.drop();
    study_ = std::move(study);
    show_recording(nullptr);
    if (isVisible()) {
        record();
    }
}

void PlaybackBar::show_image(std::size_t image)
{
    image_ = image;
    show_frame();
}

std::int64_t PlaybackBar::count() const
{
    return recording_ ? static_cast<std::int64_t>(recording_->size()) : 0;
}

std::int64_t PlaybackBar::number() const
{
    return slider_->value();
}

void PlaybackBar::go_to(std::int64_t number)
{
    slider_->setValue(static_cast<int>(
        std::clamp<std::int64_t>(number, 0, std::max<std::int64_t>(0, count() - 1))));
}

void PlaybackBar::set_playing(bool on)
{
    if (on && count() == 0 && isVisible()) {
        record();
    }
    // The recording may be done and on its way here: it then begins to play when it arrives.
    play_when_ready_ = on && study_ && !recording_;
    if (on && count() > 0) {
        if (number() + 1 >= count()) {
            go_to(0);
        }
        timer_.start();
    } else {
        timer_.stop();
    }
    play_->setAccessibleName(playing() ? tr("Pause") : tr("Play"));
    show_icons();
}

void PlaybackBar::record()
{
    if (study_ && !recording_ && !job_.running()) {
        label_->setText(tr("Recording the accesses…"));
        job_.start(
            [study = study_, limit = limit_](const Progress& progress, const StopToken& stop) {
                return record_accesses(*study, limit, progress, stop);
            });
        emit started();
    }
}

void PlaybackBar::show_recording(std::shared_ptr<const AccessRecording> recording)
{
    const bool play = play_when_ready_;
    recording_ = std::move(recording);
    {
        const QSignalBlocker blocker(slider_); // it is shown once, below
        slider_->setRange(0, static_cast<int>(std::max<std::int64_t>(0, count() - 1)));
        slider_->setPageStep(static_cast<int>(std::max<std::int64_t>(1, count() / 50)));
        slider_->setValue(0);
    }
    for (QWidget* control :
         {static_cast<QWidget*>(first_), static_cast<QWidget*>(previous_),
          static_cast<QWidget*>(play_), static_cast<QWidget*>(next_), static_cast<QWidget*>(last_),
          static_cast<QWidget*>(slider_), static_cast<QWidget*>(speed_)}) {
        control->setEnabled(count() > 0);
    }
    set_playing(play);
    show_frame();
}

void PlaybackBar::show_frame()
{
    if (!isVisible() || count() == 0) {
        if (!job_.running()) { // which says how far it is
            label_->setText(!study_      ? tr("No study yet: run one (F5).")
                            : recording_ ? tr("The launch reads no image.")
                                         : QString());
        }
        emit frame_changed(std::nullopt);
        return;
    }
    const auto at = static_cast<std::size_t>(number());
    const PlaybackFrame frame{recording_->access(at), recording_->lanes(at), recording_->held(at)};
    label_->setText(text(frame));
    label_->setToolTip(label_->text()); // the whole of it in a narrow window
    emit frame_changed(frame);
}

QString PlaybackBar::text(const PlaybackFrame& frame) const
{
    const RecordedAccess& access = frame.access;
    QString line = recording_->full() ? tr("access %1 of the first %2 (of %3 in the launch)")
                                      : tr("access %1 of %2");
    line = line.arg(count_text(number() + 1), count_text(count()));
    if (recording_->full()) {
        line = line.arg(count_text(study_->simulation.steps));
    }
    line += tr(": group %1, warp %2, step %3")
                .arg(count_text(access.group), count_text(access.warp), count_text(access.step));
    const QString name = QString::fromStdString(study_->images[access.image].image.name);
    const bool sectors = study_->options.machine.l1().geometry.sector.value > 0;
    line += tr("   reads %1%2   core %3: %4 %5, %6 missed, L1 holds %7")
                .arg(name, access.image == image_ ? QString() : tr(" (not the image shown)"))
                .arg(access.core)
                .arg(access.lookups)
                .arg(sectors ? tr("sectors") : tr("lines"))
                .arg(access.misses)
                .arg(count_text(static_cast<std::int64_t>(frame.held.size())));
    return line;
}

void PlaybackBar::show_icons()
{
    const double ratio = devicePixelRatioF();
    first_->setIcon(transport_icon(Transport::first, palette(), ratio));
    previous_->setIcon(transport_icon(Transport::previous, palette(), ratio));
    play_->setIcon(
        transport_icon(playing() ? Transport::pause : Transport::play, palette(), ratio));
    next_->setIcon(transport_icon(Transport::next, palette(), ratio));
    last_->setIcon(transport_icon(Transport::last, palette(), ratio));
}

void PlaybackBar::show_speed()
{
    const int speed = speed_->currentData().toInt();
    timer_.setInterval(1000 / std::min(speed, ticks_per_second));
    accesses_per_tick_ = std::max(1, speed / ticks_per_second);
}

void PlaybackBar::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    show_icons();
    show_frame();
    record();
}

void PlaybackBar::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    set_playing(false);
    job_.cancel();
    show_frame();
}

void PlaybackBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        show_icons();
    }
    QWidget::changeEvent(event);
}

} // namespace texelscope::gui
