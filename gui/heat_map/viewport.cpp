#include "gui/heat_map/viewport.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::gui {
namespace {

/// `origin` along one axis such that the image [0, size) overlaps the window of `window` texels by
/// `overlap` texels.
double kept(double origin, double size, double window, double overlap)
{
    const double least = std::min({overlap, size, window});
    return std::clamp(origin, least - window, size - least);
}

} // namespace

Texel Viewport::texel_at(QPointF widget) const
{
    constexpr double far = 1 << 30;
    const QPointF at = to_texels(widget);
    return {static_cast<std::int32_t>(std::clamp(std::floor(at.x()), -far, far)),
            static_cast<std::int32_t>(std::clamp(std::floor(at.y()), -far, far))};
}

TexelRange Viewport::visible(Extent2D image, QSizeF widget) const
{
    const Texel first = texel_at({0, 0});
    const Texel last = texel_at({widget.width(), widget.height()});
    return {std::clamp(first.x, 0, image.width), std::clamp(last.x + 1, 0, image.width),
            std::clamp(first.y, 0, image.height), std::clamp(last.y + 1, 0, image.height)};
}

Viewport Viewport::zoomed(double factor, QPointF anchor, double smallest_scale) const
{
    const double to =
        std::clamp(scale * factor, std::min(smallest_scale, largest_scale), largest_scale);
    // The texel under `anchor` stays where it is.
    return {to, to_texels(anchor) - anchor / to};
}

Viewport Viewport::moved(QPointF widget_delta) const
{
    return {scale, origin - widget_delta / scale};
}

// At least `margin` pixels of the image stay in sight.
Viewport Viewport::kept_inside(Extent2D image, QSizeF widget, double margin) const
{
    return {scale,
            {kept(origin.x(), image.width, widget.width() / scale, margin / scale),
             kept(origin.y(), image.height, widget.height() / scale, margin / scale)}};
}

Viewport fitted(Extent2D image, QSizeF widget, double margin)
{
    const double width = std::max(1.0, widget.width() - 2 * margin);
    const double height = std::max(1.0, widget.height() - 2 * margin);
    const double scale = std::min({width / std::max(1, image.width),
                                   height / std::max(1, image.height), Viewport::largest_scale});
    return {
        scale,
        {(image.width - widget.width() / scale) / 2, (image.height - widget.height() / scale) / 2}};
}

Viewport filled_with(QRectF texels, QSizeF widget, double smallest_scale)
{
    const double scale =
        std::min(widget.width() / texels.width(), widget.height() / texels.height());
    const Viewport zoomed{std::clamp(scale, std::min(smallest_scale, Viewport::largest_scale),
                                     Viewport::largest_scale),
                          {}};
    return zoomed.centred_on(texels.center(), widget);
}

// A new view ends what could be redone; the oldest one is forgotten.
void ViewHistory::remember(const Entry& now)
{
    constexpr std::size_t most = 200;
    if (past_.size() == most) {
        past_.erase(past_.begin());
    }
    past_.push_back(now);
    future_.clear();
}

void ViewHistory::clear()
{
    past_.clear();
    future_.clear();
}

std::optional<ViewHistory::Entry> ViewHistory::move(std::vector<Entry>& from,
                                                    std::vector<Entry>& to, const Entry& now)
{
    if (from.empty()) {
        return std::nullopt;
    }
    const Entry entry = from.back();
    from.pop_back();
    to.push_back(now);
    return entry;
}

} // namespace texelscope::gui
