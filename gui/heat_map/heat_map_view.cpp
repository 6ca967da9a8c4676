#include "gui/heat_map/heat_map_view.hpp"

#include "gui/heat_map/heat_map_raster.hpp"
#include "gui/heat_map/overlays.hpp"
#include "gui/widgets/theme.hpp"

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace texelscope::gui {
namespace {

constexpr double fit_margin = 12;  // pixels around a fitted image
constexpr double keep_margin = 24; // pixels of the image that stay in the widget when it is moved
constexpr double nudge_pixels = 32;
constexpr double key_zoom = 1.25;
constexpr double visible_texel = 16;          // pixels of a texel that go_to() shows
constexpr std::uint64_t wheel_pause_ms = 500; // a wheel that rests longer begins another gesture

} // namespace

HeatMapView::HeatMapView(QWidget* parent) : QWidget(parent)
{
    setObjectName("heat_map_view");
    setAccessibleName(tr("Heat map"));
    setAccessibleDescription(tr("Counts of one image, texel by texel; wheel zooms, drag moves, F fits"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setCursor(Qt::CrossCursor);
}

void HeatMapView::show_picture(std::shared_ptr<const HeatPicture> picture, ValueAxis axis)
{
    if (!shown_ || shown_->launch != picture->launch) {
        touches_.reset(); // of other images
    }
    const bool same_size = shown_ && shown_->pyramid.extent() == picture->pyramid.extent();
    shown_ = std::move(picture);
    scale_ = shown_->scale.on(axis);
    colours_.reset();
    if (!same_size) {
        history_.clear();
        mark_.reset();
    }
    if (!same_size || fitted_) {
        fit_now();
    }
    update_hover(mouse_);
    update();
}

void HeatMapView::show_nothing()
{
    shown_.reset();
    touches_.reset();
    colours_.reset();
    update_hover(mouse_);
    update();
}

void HeatMapView::set_last_touches(std::shared_ptr<const LateMaps> touches)
{
    touches_ = std::move(touches);
    update();
}

void HeatMapView::set_axis(ValueAxis axis)
{
    if (shown_) {
        scale_ = shown_->scale.on(axis);
        colours_.reset();
        update();
    }
}

void HeatMapView::set_range(ColourRange range)
{
    range_ = range;
    colours_.reset();
    update();
}

void HeatMapView::show_overlays(Overlays overlays)
{
    overlays_ = overlays;
    update();
}

QString HeatMapView::value_text(Texel texel) const
{
    return shown_ && shown_->pyramid.extent().contains(texel) ? shown_->text(shown_->values().at(texel)) : QString();
}

void HeatMapView::set_playback(const std::optional<PlaybackFrame>& frame)
{
    playback_ = frame;
    update();
}

std::optional<TexelReadout> HeatMapView::readout_at(QPointF at) const
{
    if (!shown_) {
        return std::nullopt;
    }
    const Texel texel = view_.texel_at(at);
    if (!shown_->pyramid.extent().contains(texel)) {
        return std::nullopt;
    }
    return read_out(*shown_->launch, shown_->image, shown_->stored, touches_ ? &touches_->last : nullptr, texel);
}

double HeatMapView::smallest_scale() const
{
    return shown_ ? std::min(1.0, fitted(shown_->pyramid.extent(), size(), fit_margin).scale / 4) : 1.0;
}

void HeatMapView::fit()
{
    if (!fitted_) {
        remember();
    }
    mark_.reset();
    fit_now();
}

void HeatMapView::fit_now()
{
    if (shown_) {
        view_ = fitted(shown_->pyramid.extent(), size(), fit_margin);
        fitted_ = true;
        update_hover(mouse_);
        update();
    }
}

void HeatMapView::change_view(const Viewport& view, double margin)
{
    if (shown_) {
        view_ = view.kept_inside(shown_->pyramid.extent(), size(), margin);
        fitted_ = false;
        update_hover(mouse_);
        update();
    }
}

void HeatMapView::remember()
{
    if (shown_) {
        history_.remember({view_, fitted_});
        last_wheel_.reset();
        mark_.reset();
    }
}

void HeatMapView::restore(const std::optional<ViewHistory::Entry>& entry)
{
    last_wheel_.reset();
    mark_.reset();
    if (entry && entry->fitted) {
        fit_now();
    } else if (entry) {
        change_view(entry->view, 0);
    }
}

void HeatMapView::zoom(double factor, QPointF anchor)
{
    // No margin here: what is under the cursor must stay there, even at a corner of the image.
    change_view(view_.zoomed(factor, anchor, smallest_scale()), 0);
}

void HeatMapView::go_to(Texel texel)
{
    remember();
    const Viewport near{std::max(view_.scale, visible_texel), {}};
    change_view(near.centred_on({texel.x + 0.5, texel.y + 0.5}, size()), 0);
    mark_ = texel;
}

void HeatMapView::zoom_into(QRectF part)
{
    remember();
    const QRectF texels(view_.to_texels(part.topLeft()), view_.to_texels(part.bottomRight()));
    change_view(filled_with(texels, size(), smallest_scale()), 0);
}

void HeatMapView::update_hover(std::optional<QPointF> at)
{
    mouse_ = at;
    const auto readout = at ? readout_at(*at) : std::nullopt;
    QString text;
    if (readout) {
        text = one_line(*readout) + (shown_->plain() ? QString() : QStringLiteral("   ") + value_text(readout->texel));
    }
    emit hovered(text);
    update();
}

void HeatMapView::resizeEvent(QResizeEvent*)
{
    if (fitted_) {
        fit_now();
    } else {
        change_view(view_, keep_margin);
    }
}

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
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        rubber_band_ = QRectF(event->position(), QSizeF());
    } else {
        dragged_from_ = event->position();
        drag_moved_ = false;
        setCursor(Qt::ClosedHandCursor);
    }
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event)
{
    if (rubber_band_) {
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

void HeatMapView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        colours_.reset();
        update();
    }
    QWidget::changeEvent(event);
}

void HeatMapView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (!shown_) {
        paint_focus(painter);
        return;
    }
    const double ratio = devicePixelRatioF();
    const QSize pixels(static_cast<int>(std::ceil(width() * ratio)), static_cast<int>(std::ceil(height() * ratio)));
    if (!colours_) {
        const bool limited = shown_->kind != HeatLayer::Kind::difference; // whose colour bar has no handles
        colours_.emplace(shown_->kind, scale_, limited ? range_ : ColourRange{}, untouched_grey(palette()).rgb());
    }
    QImage image = heat_map_raster(shown_->pyramid, view_.for_pixel_ratio(ratio), pixels, *colours_,
                                   palette().color(QPalette::Window).rgb());
    const PlacedMap map{*shown_, view_, size()};
    if (overlays_.block_grid) {
        blend_block_grid(image, map, ratio);
    }
    image.setDevicePixelRatio(ratio);
    painter.drawImage(QPointF(0, 0), image);
    if (overlays_.lines) {
        paint_lines(painter, map);
    }
    if (overlays_.storage_order) {
        paint_storage_order(painter, map);
    }
    if (playback_) {
        paint_playback(painter, view_, size(), {shown_->stored, shown_->image, shown_->launch->options.l1.granule()},
                       *playback_);
    }
    paint_focus(painter);
    if (mark_) {
        paint_mark(painter, place_of(*mark_));
    }
    if (rubber_band_) {
        paint_frame(painter, rubber_band_->normalized());
    }
    paint_readout(painter);
}

void HeatMapView::paint_focus(QPainter& painter) const
{
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void HeatMapView::paint_readout(QPainter& painter) const
{
    const auto readout = mouse_ && !dragged_from_ && !rubber_band_ ? readout_at(*mouse_) : std::nullopt;
    if (readout) {
        paint_frame(painter, place_of(readout->texel));
        const bool told = shown_->plain() || (shown_->kind == HeatLayer::Kind::warps && readout->last);
        paint_box(painter,
                  several_lines(*readout) + (told ? QString() : QStringLiteral("\n") + value_text(readout->texel)),
                  *mouse_, size(), palette());
    }
}

QRectF HeatMapView::place_of(Texel texel) const
{
    return {view_.to_widget(QPointF(texel.x, texel.y)), QSizeF(view_.scale, view_.scale)};
}

} // namespace texelscope::gui
