#include "gui/heat_map/heat_map_view.hpp"

#include "gui/heat_map/heat_map_raster.hpp"
#include "gui/heat_map/playback_overlay.hpp"
#include "gui/widgets/theme.hpp"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

namespace texelscope::gui {
namespace {

constexpr double fit_margin = 12;    // pixels around a fitted image
constexpr double label_margin = 22;  // around bands with labels above them
constexpr double visible_texel = 16; // pixels of a texel that go_to() shows

} // namespace

HeatMapView::HeatMapView(QWidget* parent) : QWidget(parent)
{
    setObjectName("heat_map_view");
    setAccessibleName(tr("Heat map"));
    setAccessibleDescription(
        tr("Counts of one image, texel by texel; wheel zooms, drag moves, F fits"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setCursor(Qt::CrossCursor);
}

void HeatMapView::show_picture(std::shared_ptr<const HeatPicture> picture, ValueAxis axis)
{
    if (!shown_ || shown_->launch != picture->launch) {
        touches_.reset(); // of other images
    }
    // A picture of the same size keeps the view: one switches between quantities and looks at the
    // same place.
    const bool same_size = shown_ && shown_->pyramid.extent() == picture->pyramid.extent() &&
                           shown_->tensor.has_value() == picture->tensor.has_value();
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

void HeatMapView::set_folding(bool on)
{
    folding_ = on;
    mark_.reset();
    fit_now();
}

bool HeatMapView::can_fold() const
{
    return fitting_fold(true) != fitting_fold(false);
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

QString HeatMapView::value_text(Texel cell) const
{
    return shown_ && shown_->pyramid.extent().contains(cell)
               ? shown_->text(shown_->values().at(cell))
               : QString();
}

void HeatMapView::set_playback(const std::optional<PlaybackFrame>& frame)
{
    playback_ = frame;
    update();
}

std::optional<Texel> HeatMapView::cell_at(QPointF at) const
{
    return shown_ ? fold_.texel_at(view_.texel_at(at)) : std::nullopt;
}

std::optional<Overview> HeatMapView::overview() const
{
    return shown_ && overlays_.overview ? overview_of(fold_.plane(), view_, size()) : std::nullopt;
}

void HeatMapView::look_at(QPointF place_of_plane)
{
    change_view(view_.centred_on(place_of_plane, size()), keep_margin);
}

std::optional<TexelReadout> HeatMapView::readout_at(QPointF at) const
{
    const std::optional<Texel> cell = cell_at(at);
    if (!cell) {
        return std::nullopt;
    }
    return read_out(*shown_->launch, shown_->image, shown_->stored,
                    touches_ ? &touches_->last : nullptr, shown_->texel_of(*cell));
}

// A quarter of the scale at which everything is seen.
double HeatMapView::smallest_scale() const
{
    return shown_ ? std::min(1.0, fitted(fold_.plane(), size(), margin()).scale / 4) : 1.0;
}

double HeatMapView::margin() const
{
    return fold_.folded() || (shown_ && shown_->tensor) ? label_margin : fit_margin;
}

Fold HeatMapView::fitting_fold(bool folding) const
{
    const QSizeF room(std::max(1.0, width() - 2 * label_margin),
                      std::max(1.0, height() - 2 * label_margin));
    return shown_ ? shown_->fold_for(room, folding) : Fold{};
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
        if (const Fold fold = fitting_fold(folding_); fold != fold_) {
            fold_ = fold;
            history_.clear(); // its views are of another plane
        }
        view_ = fitted(fold_.plane(), size(), margin());
        fitted_ = true;
        update_hover(mouse_);
        update();
    }
}

void HeatMapView::change_view(const Viewport& view, double margin)
{
    if (shown_) {
        view_ = view.kept_inside(fold_.plane(), size(), margin);
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
    const std::vector<Texel> cells = shown_ ? shown_->cells_of(texel) : std::vector<Texel>{};
    if (cells.empty()) {
        emit hovered(tr("Texel %1,%2 is padding: it holds no element").arg(texel.x).arg(texel.y));
        return;
    }
    remember();
    const Viewport near{std::max(view_.scale, visible_texel), {}};
    const Texel at = fold_.place(cells.front());
    change_view(near.centred_on({at.x + 0.5, at.y + 0.5}, size()), 0);
    mark_ = cells.front();
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
        const Texel cell = *cell_at(*at);
        text =
            shown_->tensor ? shown_->tensor->element_text(cell) + QStringLiteral("   ") : QString();
        text += one_line(*readout) +
                (shown_->plain() ? QString() : QStringLiteral("   ") + value_text(cell));
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
    const QSize pixels(static_cast<int>(std::ceil(width() * ratio)),
                       static_cast<int>(std::ceil(height() * ratio)));
    if (!colours_) {
        // A difference has a colour bar without handles, and so no range.
        const bool limited = shown_->kind != HeatLayer::Kind::difference;
        colours_.emplace(shown_->kind, scale_, limited ? range_ : ColourRange{},
                         untouched_grey(palette()).rgb());
    }
    QImage image = heat_map_raster(shown_->pyramid, fold_, view_.for_pixel_ratio(ratio), pixels,
                                   *colours_, palette().color(QPalette::Window).rgb());
    const PlacedMap map = placed();
    // Blocks, lines and memory are made of texels; a tensor's picture shows elements instead, in
    // another arrangement.
    const bool of_texels = !shown_->tensor;
    if (overlays_.block_grid && of_texels) {
        blend_block_grid(image, map, ratio);
    }
    image.setDevicePixelRatio(ratio);
    painter.drawImage(QPointF(0, 0), image);
    if (overlays_.lines && of_texels) {
        paint_lines(painter, map);
    }
    if (overlays_.storage_order && of_texels) {
        paint_storage_order(painter, map);
    }
    if (playback_) {
        paint_playback(painter, map, *playback_);
    }
    paint_band_labels(painter, map, palette());
    if (shown_->tensor) {
        paint_axes(painter, *shown_->tensor, size(), palette());
    }
    paint_focus(painter);
    if (mark_) {
        paint_mark(painter, map.place_of(*mark_));
    }
    if (rubber_band_) {
        paint_frame(painter, rubber_band_->normalized());
    }
    if (const auto small = overview()) {
        paint_overview(painter, *small, map, *colours_, palette(), ratio);
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
    const bool moving = dragged_from_ || rubber_band_ || overview_held_;
    const auto readout = mouse_ && !moving ? readout_at(*mouse_) : std::nullopt;
    if (readout) {
        const Texel cell = *cell_at(*mouse_);
        paint_frame(painter, placed().place_of(cell));
        const bool told =
            shown_->plain() || (shown_->kind == HeatLayer::Kind::warps && readout->last);
        QString text = shown_->tensor
                           ? shown_->tensor->element_text(cell) + QStringLiteral("\nin texel ")
                           : QString();
        text +=
            several_lines(*readout) + (told ? QString() : QStringLiteral("\n") + value_text(cell));
        paint_box(painter, text, *mouse_, size(), palette());
    }
}

} // namespace texelscope::gui
