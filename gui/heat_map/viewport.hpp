#pragma once

#include "traces/image.hpp"

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// Texels [x0, x1) by [y0, y1).
struct TexelRange {
    std::int32_t x0 = 0, x1 = 0, y0 = 0, y1 = 0;
};

/// Where an image lies in a widget: `scale` widget pixels a texel, and the place in the image, in
/// texels, that is at the widget's top left corner. A value; every change gives a new one.
struct Viewport {
    double scale = 1;
    QPointF origin;

    static constexpr double largest_scale = 256;

    [[nodiscard]] QPointF to_texels(QPointF widget) const { return origin + widget / scale; }
    [[nodiscard]] QPointF to_widget(QPointF texels) const { return (texels - origin) * scale; }
    /// The texel under a place of the widget; it may be outside of the image.
    [[nodiscard]] Texel texel_at(QPointF widget) const;

    /// The texels of an image that a widget of that size shows, whole or in part.
    [[nodiscard]] TexelRange visible(Extent2D image, QSizeF widget) const;

    /// Zoomed so that what was under `anchor` stays there. The scale stays between `smallest_scale`
    /// and largest_scale.
    [[nodiscard]] Viewport zoomed(double factor, QPointF anchor, double smallest_scale) const;
    /// What is shown moves by that many widget pixels.
    [[nodiscard]] Viewport moved(QPointF widget_delta) const;
    /// Moved as little as needed to leave `margin` widget pixels of the image inside of the widget
    /// (or all of an image that is smaller).
    [[nodiscard]] Viewport kept_inside(Extent2D image, QSizeF widget, double margin) const;
    /// That place of the image, in texels, in the middle of the widget.
    [[nodiscard]] Viewport centred_on(QPointF texels, QSizeF widget) const
    {
        return {scale, texels - QPointF(widget.width(), widget.height()) / (2 * scale)};
    }
    /// The same place in device pixels.
    [[nodiscard]] Viewport for_pixel_ratio(double ratio) const { return {scale * ratio, origin}; }
};

/// The whole image in the middle of the widget, as large as it fits with `margin` pixels around it.
[[nodiscard]] Viewport fitted(Extent2D image, QSizeF widget, double margin);

/// A rectangle of the image, in texels, in the middle of the widget, as large as it fits.
[[nodiscard]] Viewport filled_with(QRectF texels, QSizeF widget, double smallest_scale);

/// The views that were left, oldest first, and those that were undone. One entry a gesture.
class ViewHistory {
public:
    struct Entry {
        Viewport view;
        bool fitted = false; ///< follows the size of the widget
    };

    /// A gesture begins: `now` is what it leaves. What was undone is forgotten.
    void remember(const Entry& now);
    /// The view before `now`; nothing where there is none.
    [[nodiscard]] std::optional<Entry> undo(const Entry& now) { return move(past_, future_, now); }
    /// The view that was undone last.
    [[nodiscard]] std::optional<Entry> redo(const Entry& now) { return move(future_, past_, now); }
    void clear();

private:
    static std::optional<Entry> move(std::vector<Entry>& from, std::vector<Entry>& to,
                                     const Entry& now);

    std::vector<Entry> past_;
    std::vector<Entry> future_;
};

} // namespace texelscope::gui
