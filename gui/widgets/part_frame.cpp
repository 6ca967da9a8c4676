#include "gui/widgets/part_frame.hpp"

#include <QEvent>
#include <QPainter>

namespace texelscope::gui {
namespace {

constexpr double thick = 3;

} // namespace

PartFrame::PartFrame(QWidget& part) : QWidget(part.window()), part_(&part)
{
    setObjectName("part_frame");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    // A part also moves with what it lies in.
    for (QWidget* each = &part; each != nullptr && each != part.window(); each = each->parentWidget()) {
        each->installEventFilter(this);
    }
    follow();
}

bool PartFrame::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
        follow();
        break;
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void PartFrame::follow()
{
    // A dock that has been torn off or put back is in another window now.
    if (!part_ || part_->window() != window()) {
        hide();
        return;
    }
    setGeometry(QRect(part_->mapTo(window(), QPoint(0, 0)), part_->size()));
    setVisible(part_->isVisible());
    raise();
    emit moved();
}

void PartFrame::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Highlight), thick));
    painter.drawRoundedRect(QRectF(rect()).adjusted(thick / 2, thick / 2, -thick / 2, -thick / 2), 4, 4);
}

} // namespace texelscope::gui
