#include "gui/tour/tour.hpp"

#include "gui/tour/tour_card.hpp"
#include "gui/widgets/part_frame.hpp"

#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>

namespace texelscope::gui {
namespace {

/// Brings the dock that a part is, or lies in, to the front.
void bring_to_front(QWidget* part)
{
    for (QWidget* each = part; each != nullptr; each = each->parentWidget()) {
        if (auto* dock = qobject_cast<QDockWidget*>(each)) {
            dock->show();
            dock->raise();
        }
    }
}

} // namespace

Tour::Tour(QMainWindow& window) : QObject(&window), window_(window), steps_(tour_steps())
{
    window.installEventFilter(this);
}

TourCard& Tour::card()
{
    if (!card_) {
        card_ = new TourCard(&window_);
        connect(card_, &TourCard::next, this, [this] { step_ ? go(1) : start(); });
        connect(card_, &TourCard::back, this, [this] { go(-1); });
        connect(card_, &TourCard::ended, this, &Tour::end);
    }
    return *card_;
}

void Tour::start()
{
    emit started();
    step_ = 0;
    show_step();
}

void Tour::offer()
{
    card().show_face(
        {tr("New here?"),
         tr("A tour of %1 steps shows what the window can do, over a small example. It is in the Help menu, too.")
             .arg(steps_.size()),
         {},
         false,
         tr("Start the &tour"),
         tr("&Not now")});
    place();
}

void Tour::end()
{
    const bool was_on = step_.has_value();
    step_.reset();
    clear_frames();
    if (card_) {
        card_->hide();
        card_->deleteLater(); // which may be the sender
        card_.clear();
    }
    if (QWidget* middle = window_.centralWidget()) {
        middle->setFocus();
    }
    if (was_on) {
        emit ended();
    }
}

void Tour::go(std::ptrdiff_t by)
{
    const auto next = static_cast<std::ptrdiff_t>(*step_) + by;
    if (next >= 0 && next < std::ssize(steps_)) {
        step_ = static_cast<std::size_t>(next);
        show_step();
    }
}

void Tour::show_step()
{
    clear_frames();
    const TourStep& step = steps_[*step_];
    for (const QString& name : step.parts) {
        if (auto* part = window_.findChild<QWidget*>(name)) {
            bring_to_front(part);
            frames_.push_back(new PartFrame(*part));
            connect(frames_.back(), &PartFrame::moved, this, &Tour::place);
        }
    }
    const bool last = *step_ + 1 == steps_.size();
    card().show_face({step.title, step.text, tr("%1 of %2").arg(*step_ + 1).arg(steps_.size()), *step_ > 0,
                      last ? QString() : tr("&Next"), last ? tr("&Finish") : tr("End &tour")});
    place();
}

void Tour::clear_frames()
{
    for (PartFrame* frame : frames_) {
        delete frame;
    }
    frames_.clear();
}

void Tour::place()
{
    if (!card_) {
        return;
    }
    QList<QRect> parts;
    for (const PartFrame* frame : frames_) {
        if (frame->isVisible() && frame->window() == &window_) {
            parts << frame->geometry();
        }
    }
    card_->setGeometry(place_beside(card_->sizeHint(), parts, window_.rect()));
    card_->raise();
}

bool Tour::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &window_ && event->type() == QEvent::Resize) {
        place();
    }
    return QObject::eventFilter(watched, event);
}

} // namespace texelscope::gui
