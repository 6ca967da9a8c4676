#include "gui/heat_map/heat_map_view.hpp"

#include "gui/heat_map/heat_map_raster.hpp"
#include "gui/heat_map/playback_overlay.hpp"
#include "gui/heat_map/storage_curve.hpp"
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

/// A frame that is seen on every colour: black within white.
void paint_frame(QPainter& painter, const QRectF& rect)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Qt::white, 3));
    painter.drawRect(rect);
    painter.setPen(QPen(Qt::black, 1));
    painter.drawRect(rect);
}

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

void HeatMapView::set_storage_order(bool on)
{
    storage_order_ = on;
    update();
}

QString HeatMapView::value_text(Texel texel) const
{
    return shown_ && shown_->pyramid.extent().contains(texel) ? shown_->text(shown_->values().at(texel)) : QString();
}

void HeatMapView::set_block_grid(bool on)
{
    block_grid_ = on;
    update();
}

void HeatMapView::set_lines(bool on)
{
    lines_ = on;
    update();
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

void HeatMapView::undo_view()
{
    restore(history_.undo({view_, fitted_}));
}

void HeatMapView::redo_view()
{
    restore(history_.redo({view_, fitted_}));
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
    if (block_grid_) {
        draw_block_grid(image, ratio);
    }
    image.setDevicePixelRatio(ratio);
    painter.drawImage(QPointF(0, 0), image);
    if (lines_) {
        paint_lines(painter);
    }
    if (storage_order_) {
        paint_storage_order(painter);
    }
    if (playback_) {
        paint_playback(painter, view_, size(), {shown_->stored, shown_->image, shown_->launch->options.l1.granule()},
                       *playback_);
    }
    paint_focus(painter);
    paint_mark(painter);
    paint_rubber_band(painter);
    paint_readout(painter);
}

void HeatMapView::draw_block_grid(QImage& image, double ratio) const
{
    constexpr double closest = 5; // pixels between lines; a denser grid would hide the counts
    const TexelRange range = view_.visible(shown_->pyramid.extent(), size());
    const QRectF part(view_.to_widget({static_cast<double>(range.x0), static_cast<double>(range.y0)}) * ratio,
                      view_.to_widget({static_cast<double>(range.x1), static_cast<double>(range.y1)}) * ratio);
    const auto from = [](double at, double width) { return static_cast<int>(std::lround(at - width / 2)); };
    double thickness = 1;
    for (const Extent2D block : shown_->stored.layout.blocks()) {
        // Light with a dark edge, to be seen on every colour of the map.
        for (const auto& [colour, width] :
             {std::pair{QColor(0, 0, 0, 90), thickness + 1}, {QColor(255, 255, 255, 200), thickness}}) {
            const int pixels = std::max(1, static_cast<int>(std::lround(width * ratio)));
            for (std::int32_t x = range.x0 / block.width * block.width;
                 x <= range.x1 && block.width * view_.scale >= closest; x += block.width) {
                const double at = view_.to_widget({static_cast<double>(x), 0}).x() * ratio;
                blend(image, QRect(from(at, pixels), from(part.top(), 0), pixels, from(part.height(), 0)), colour);
            }
            for (std::int32_t y = range.y0 / block.height * block.height;
                 y <= range.y1 && block.height * view_.scale >= closest; y += block.height) {
                const double at = view_.to_widget({0, static_cast<double>(y)}).y() * ratio;
                blend(image, QRect(from(part.left(), 0), from(at, pixels), from(part.width(), 0), pixels), colour);
            }
        }
        thickness += 1;
    }
}

void HeatMapView::paint_lines(QPainter& painter) const
{
    constexpr double closest = 6; // pixels of a texel
    if (view_.scale < closest) {
        return;
    }
    const Extent2D extent = shown_->pyramid.extent();
    const TexelRange range = view_.visible(extent, size());
    const auto line_of = [&](Texel t) {
        return shown_->stored.layout.offset(t) / shown_->launch->options.l1.line.value;
    };
    painter.setPen(QPen(QColor(255, 80, 80, 220), 1));
    for (std::int32_t y = range.y0; y < range.y1; ++y) {
        for (std::int32_t x = range.x0; x < range.x1; ++x) {
            const QPointF corner = view_.to_widget({x + 1.0, y + 1.0});
            if (x + 1 < extent.width && line_of({x, y}) != line_of({x + 1, y})) {
                painter.drawLine(corner, corner - QPointF(0, view_.scale));
            }
            if (y + 1 < extent.height && line_of({x, y}) != line_of({x, y + 1})) {
                painter.drawLine(corner, corner - QPointF(view_.scale, 0));
            }
        }
    }
}

void HeatMapView::paint_storage_order(QPainter& painter) const
{
    constexpr std::int64_t most_cells = 4000; // more are too dense to follow, and take long to draw
    QList<QLineF> lines = storage_curve(shown_->stored, view_.visible(shown_->pyramid.extent(), size()), most_cells);
    for (QLineF& line : lines) {
        line = QLineF(view_.to_widget(line.p1()), view_.to_widget(line.p2()));
    }
    for (const auto& [colour, thickness] : {std::pair{QColor(0, 0, 0, 140), 3.0}, {QColor(255, 255, 255, 230), 1.2}}) {
        painter.setPen(QPen(colour, thickness));
        painter.drawLines(lines);
    }
}

void HeatMapView::paint_focus(QPainter& painter) const
{
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void HeatMapView::paint_mark(QPainter& painter) const
{
    if (!mark_) {
        return;
    }
    const QRectF texel(view_.to_widget(QPointF(mark_->x, mark_->y)), QSizeF(view_.scale, view_.scale));
    const double outside = 4; // beside the frame of the texel under the mouse
    paint_frame(painter, texel.adjusted(-outside, -outside, outside, outside));
    const double reach = 12;
    for (const double thickness : {4.0, 2.0}) { // four lines that point at it: white within black
        painter.setPen(QPen(thickness > 2 ? Qt::black : Qt::white, thickness));
        const QRectF frame = texel.adjusted(-outside, -outside, outside, outside);
        const QPointF middle = frame.center();
        painter.drawLine(QPointF(frame.left() - reach, middle.y()), QPointF(frame.left(), middle.y()));
        painter.drawLine(QPointF(frame.right(), middle.y()), QPointF(frame.right() + reach, middle.y()));
        painter.drawLine(QPointF(middle.x(), frame.top() - reach), QPointF(middle.x(), frame.top()));
        painter.drawLine(QPointF(middle.x(), frame.bottom()), QPointF(middle.x(), frame.bottom() + reach));
    }
}

void HeatMapView::paint_rubber_band(QPainter& painter) const
{
    if (rubber_band_) {
        paint_frame(painter, rubber_band_->normalized());
    }
}

void HeatMapView::paint_readout(QPainter& painter) const
{
    const auto readout = mouse_ && !dragged_from_ && !rubber_band_ ? readout_at(*mouse_) : std::nullopt;
    if (!readout) {
        return;
    }
    const QPointF corner = view_.to_widget(QPointF(readout->texel.x, readout->texel.y));
    paint_frame(painter, QRectF(corner, QSizeF(view_.scale, view_.scale)));

    const bool told = shown_->plain() || (shown_->kind == HeatLayer::Kind::warps && readout->last);
    const QString text =
        several_lines(*readout) + (told ? QString() : QStringLiteral("\n") + value_text(readout->texel));
    const double pad = painter.fontMetrics().height() / 3.0;
    constexpr double from_cursor = 16;
    QRectF box = painter.fontMetrics().boundingRect(QRect(0, 0, width(), height()), Qt::AlignLeft, text);
    box.adjust(-pad, -pad, pad, pad);
    box.moveTopLeft(*mouse_ + QPointF(from_cursor, from_cursor));
    if (box.right() > width()) {
        box.moveRight(mouse_->x() - from_cursor);
    }
    if (box.bottom() > height()) {
        box.moveBottom(mouse_->y() - from_cursor);
    }
    painter.setPen(palette().color(QPalette::ToolTipText));
    painter.setBrush(palette().color(QPalette::ToolTipBase));
    painter.drawRoundedRect(box, pad, pad);
    painter.drawText(box.adjusted(pad, pad, -pad, -pad), Qt::AlignLeft, text);
}

} // namespace texelscope::gui
