#include "gui/tour/tour.hpp"

#include "gui/tour/tour_card.hpp"
#include "gui/widgets/controls.hpp"

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

StudyForm example_study()
{
    StudyForm form;
    form.op = "matmul";
    form.shape = "64,64,64";
    form.config = "A=row,column;T=4x4;W=8x8;G=8x8x1";
    form.device = "adreno-740";
    return form;
}

std::vector<TourStep> tour_steps()
{
    return {
        {tr("The study and its results"),
         tr("The example multiplies two 64×64 matrices on a simulated Adreno 740. The "
            "configuration says how: an "
            "access "
            "pattern for each input (A), the outputs of a work-item (T), the shape of a warp (W) "
            "and of a work-group "
            "(G). "
            "In the results, not one of the 3,072 lookups in the L1 hits, and the launch takes "
            "6.514 µs. "
            "Try another pattern and run it with F5."),
         {"study_dock", "results_dock"}},
        {tr("The heat map"),
         tr("Each square is a texel of image A. The window opens on the quantity that varies most "
            "between texels, here "
            "the "
            "compulsory misses: the texels at which a line was fetched for the first time. Choose "
            "reads under "
            "Quantity: "
            "each texel was read 16 times, all of them. "
            "Zoom with the wheel, move with the mouse held down; the status bar reads out the "
            "texel under the mouse."),
         {"heat_map_view", "quantity"}},
        {tr("Playback"),
         tr("Playback goes through the warps' accesses one after the other: the texels that the "
            "lanes read, and the "
            "lines that the L1 of that core holds. The L1 has 32 lines here, and one access of "
            "image A brings in 8. "
            "Press Space in the heat map to play, comma and full stop to step."),
         {"playback"}},
        {tr("Ranking and histograms"),
         tr("The ranking searches the parts of a configuration that both judges price. Parts > "
            "TMModel's ranks all "
            "30,400 configurations of these four: the model predicts 7.934 µs for this one and "
            "4.383 µs for the first. "
            "Double-click that row: its study runs, the simulator says 4.223 µs, "
            "and the histograms' "
            "bars, the strides of a work-item that leave a block, get shorter."),
         {"ranking_dock", "histogram_dock"}},
        {tr("Kernel and cross-check"),
         tr("Every configuration has an OpenCL kernel. F6 times it on an OpenCL device of this "
            "machine and checks its "
            "output; PoCL is one that runs on the CPU. F7 asks model, simulator and device about a "
            "sample of the "
            "configurations "
            "and shows how well the three agree."),
         {"kernel_dock", "crosscheck_dock"}},
    };
}

Tour::Tour(QMainWindow& window) : QObject(&window), window_(window), steps_(tour_steps())
{
    window.installEventFilter(this);
}

TourCard& Tour::card()
{
    if (!card_) {
        card_ = new TourCard(&window_);
        connect(card_, &TourCard::next, this, [this] { go(1); });
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
    card().show_face({step.title, step.text, tr("%1 of %2").arg(*step_ + 1).arg(steps_.size()),
                      *step_ > 0, last ? QString() : tr("&Next"),
                      last ? tr("&Finish") : tr("End &tour")});
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
