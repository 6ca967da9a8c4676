#pragma once

#include "gui/heat_map/viewport.hpp"
#include "traces/image.hpp"

#include <QSizeF>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// How an image lies in the plane that a viewport looks at: as it is, or cut into bands that lie
/// side by side with gaps between them. Bands are cut off one axis of the image; all have the same
/// length along it but the last, and follow each other in rows of `across` bands. A value.
class Fold {
public:
    enum class Axis { x, y };

    /// One band: the plane is the image.
    explicit Fold(Extent2D image = {}) : Fold(image, Axis::y, std::max(1, image.height), 0, 1) {}
    /// `length`: texels of a band along the axis; `gap`: between bands. `length` and `across` are
    /// at least 1.
    Fold(Extent2D image, Axis axis, std::int32_t length, std::int32_t gap, std::int32_t across);

    [[nodiscard]] Extent2D image() const { return image_; }
    [[nodiscard]] Extent2D plane() const;
    [[nodiscard]] Axis axis() const { return axis_; }
    [[nodiscard]] std::int32_t length() const { return length_; }
    [[nodiscard]] std::int32_t gap() const { return gap_; }
    [[nodiscard]] std::int32_t bands() const;
    [[nodiscard]] bool folded() const { return bands() > 1; }

    /// The texels of a band.
    [[nodiscard]] TexelRange texels(std::int32_t band) const;
    /// From a texel of a band to its place in the plane.
    [[nodiscard]] Texel offset(std::int32_t band) const;
    /// Where a texel of the image lies in the plane.
    [[nodiscard]] Texel place(Texel texel) const;
    /// The texel that lies there; nothing in gaps and outside.
    [[nodiscard]] std::optional<Texel> texel_at(Texel place) const;

    bool operator==(const Fold&) const = default;

private:
    [[nodiscard]] Extent2D band_size() const;

    Extent2D image_;
    Axis axis_;
    std::int32_t length_;
    std::int32_t gap_;
    std::int32_t across_;
};

/// A band, or a part of it, as a widget shows it.
struct ShownBand {
    std::int32_t band = 0;
    Viewport view;    ///< of the image's texels
    TexelRange range; ///< those of the band that are seen, whole or in part
};
/// The bands that are seen in a widget of that size.
[[nodiscard]] std::vector<ShownBand> shown_bands(const Fold& fold, const Viewport& view,
                                                 QSizeF widget);

/// A narrow image in as many bands as show its texels largest in a view of that size; unfolded
/// where the image is not narrow, or its texels would hardly become larger. Bands are whole
/// multiples of `block` where there is more than a block in a band.
[[nodiscard]] Fold best_fold(Extent2D image, QSizeF view, Extent2D block);
/// A stack of tiles below each other, each `rows` high, in as many columns as show them largest.
[[nodiscard]] Fold tiled_fold(Extent2D stack, std::int32_t rows, QSizeF view);

} // namespace texelscope::gui
