// What mouse and keyboard do to a HeatMapView.

#include "gui/heat_map/heat_map_view.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

namespace texelscope::gui {
namespace {

constexpr double nudge_pixels = 32;
constexpr double key_zoom = 1.25;
constexpr std::uint64_t wheel_pause_ms = 500; // a wheel that rests longer begins another gesture

} // namespace

void HeatMapView::wheelEvent(QWheelEvent* event)
{
    constexpr double notch = 120; // eighths of a degree, see QWheelEvent::angleDelta()
    const std::uint64_t now = event->timestamp();
    if (!last_wheel_ || now - *last_wheel_ > wheel_pause_ms) {
        remember();
    }
    last_wheel_ = now;
    zoom(std::pow(key_zoom, event->angleDelta().y() / notch), event->position());
    event->accept();
}

void HeatMapView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        return;
    }
    if (const auto small = overview(); small && small->contains(event->position())) {
        remember();
        overview_held_ = true;
        look_at(small->plane_at(event->position()));
    } else if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        rubber_band_ = QRectF(event->position(), QSizeF());
    } else {
        dragged_from_ = event->position();
        drag_moved_ = false;
        setCursor(Qt::ClosedHandCursor);
    }
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event)
{
    if (overview_held_) {
        if (const auto small = overview()) {
            look_at(small->plane_at(event->position()));
        }
    } else if (rubber_band_) {
        rubber_band_->setBottomRight(event->position());
    } else if (dragged_from_) {
        if (!drag_moved_) { // a click alone leaves nothing to undo
            remember();
            drag_moved_ = true;
        }
        change_view(view_.moved(event->position() - *dragged_from_), keep_margin);
        dragged_from_ = event->position();
    }
    update_hover(event->position());
}

void HeatMapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        return;
    }
    if (rubber_band_) {
        constexpr double least = 4; // pixels: less is a click
        const QRectF band = rubber_band_->normalized();
        rubber_band_.reset();
        if (band.width() >= least && band.height() >= least) {
            zoom_into(band);
        }
        update();
    }
    overview_held_ = false;
    dragged_from_.reset();
    setCursor(Qt::CrossCursor);
}

void HeatMapView::leaveEvent(QEvent*)
{
    update_hover(std::nullopt);
}

void HeatMapView::keyPressEvent(QKeyEvent* event)
{
    const auto begin = [&] { // a key that is held down goes on with its gesture
        if (!event->isAutoRepeat()) {
            remember();
        }
    };
    const auto move_by = [&](double x, double y) {
        begin();
        change_view(view_.moved({x, y}), keep_margin);
    };
    const auto zoom_by = [&](double factor) {
        begin();
        zoom(factor, mouse_.value_or(QRectF(rect()).center()));
    };
    const bool alt = event->modifiers().testFlag(Qt::AltModifier);
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    switch (event->key()) {
    case Qt::Key_Backspace:
        return shift ? redo_view() : undo_view();
    case Qt::Key_Left:
        return alt ? undo_view() : move_by(nudge_pixels, 0);
    case Qt::Key_Right:
        return alt ? redo_view() : move_by(-nudge_pixels, 0);
    case Qt::Key_Up:
        return move_by(0, nudge_pixels);
    case Qt::Key_Down:
        return move_by(0, -nudge_pixels);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom_by(key_zoom);
    case Qt::Key_Minus:
        return zoom_by(1 / key_zoom);
    case Qt::Key_Home:
    case Qt::Key_F:
        return fit();
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace texelscope::gui
