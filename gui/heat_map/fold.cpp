#include "gui/heat_map/fold.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace texelscope::gui {
namespace {

// Pixels between bands: room for a label above each where they lie below each other.
constexpr double gap_across = 14;
constexpr double gap_down = 20;

std::int32_t divided_up(std::int32_t size, std::int32_t by)
{
    return (size + by - 1) / by;
}

/// Pixels of a texel where a plane with gaps of so many pixels fills the view.
double scale_of(double width, double height, double gaps_across, double gaps_down, QSizeF view)
{
    const double free_width = std::max(1.0, view.width() - gaps_across * gap_across);
    const double free_height = std::max(1.0, view.height() - gaps_down * gap_down);
    return std::min(free_width / width, free_height / height);
}

std::int32_t gap_texels(double pixels, double scale)
{
    return std::max(1, static_cast<std::int32_t>(std::lround(pixels / std::max(scale, 1e-6))));
}

/// About `size` / `bands`, in whole blocks, and in whole cells of some levels of a pyramid where a
/// band has many of them: such levels have a band's maxima for themselves.
std::int32_t band_length(std::int32_t size, std::int32_t bands, std::int32_t block)
{
    constexpr std::int32_t cells = 32;
    const std::int32_t about = divided_up(size, bands);
    std::int32_t multiple = about > block ? block : 1;
    for (std::int32_t cell = 2; cell * cells <= about; cell *= 2) {
        const std::int32_t common = std::lcm(block, cell);
        multiple = common * 2 <= about ? common : multiple;
    }
    return divided_up(about, multiple) * multiple;
}

} // namespace

Fold::Fold(Extent2D image, Axis axis, std::int32_t length, std::int32_t gap, std::int32_t across)
    : image_(image), axis_(axis), length_(length), gap_(gap), across_(across)
{}

std::int32_t Fold::bands() const
{
    return std::max(1, divided_up(axis_ == Axis::x ? image_.width : image_.height, length_));
}

Extent2D Fold::band_size() const
{
    return axis_ == Axis::x ? Extent2D{std::min(length_, image_.width), image_.height}
                            : Extent2D{image_.width, std::min(length_, image_.height)};
}

Extent2D Fold::plane() const
{
    const Extent2D band = band_size();
    const std::int32_t columns = std::min(across_, bands());
    const std::int32_t rows = divided_up(bands(), across_);
    return {columns * (band.width + gap_) - gap_, rows * (band.height + gap_) - gap_};
}

TexelRange Fold::texels(std::int32_t band) const
{
    const std::int32_t first = band * length_;
    return axis_ == Axis::x
               ? TexelRange{first, std::min(first + length_, image_.width), 0, image_.height}
               : TexelRange{0, image_.width, first, std::min(first + length_, image_.height)};
}

Texel Fold::offset(std::int32_t band) const
{
    const Extent2D size = band_size();
    const Texel corner{band % across_ * (size.width + gap_), band / across_ * (size.height + gap_)};
    const TexelRange cut = texels(band);
    return {corner.x - cut.x0, corner.y - cut.y0};
}

Texel Fold::place(Texel texel) const
{
    const Texel by = offset((axis_ == Axis::x ? texel.x : texel.y) / length_);
    return {texel.x + by.x, texel.y + by.y};
}

std::optional<Texel> Fold::texel_at(Texel place) const
{
    if (!plane().contains(place)) {
        return std::nullopt;
    }
    const Extent2D size = band_size();
    const std::int32_t band =
        place.y / (size.height + gap_) * across_ + place.x / (size.width + gap_);
    if (band >= bands()) {
        return std::nullopt; // beside the last one
    }
    const Texel by = offset(band);
    const Texel texel{place.x - by.x, place.y - by.y};
    const TexelRange cut = texels(band);
    const bool inside =
        texel.x >= cut.x0 && texel.x < cut.x1 && texel.y >= cut.y0 && texel.y < cut.y1;
    return inside ? std::optional(texel) : std::nullopt;
}

std::vector<ShownBand> shown_bands(const Fold& fold, const Viewport& view, QSizeF widget)
{
    std::vector<ShownBand> shown;
    for (std::int32_t band = 0; band < fold.bands(); ++band) {
        const Texel by = fold.offset(band);
        const Viewport of_image{view.scale, view.origin - QPointF(by.x, by.y)};
        const TexelRange cut = fold.texels(band);
        const TexelRange seen = of_image.visible(fold.image(), widget);
        const TexelRange range{std::max(seen.x0, cut.x0), std::min(seen.x1, cut.x1),
                               std::max(seen.y0, cut.y0), std::min(seen.y1, cut.y1)};
        if (range.x0 < range.x1 && range.y0 < range.y1) {
            shown.push_back({band, of_image, range});
        }
    }
    return shown;
}

// A folded image must be worth it: only narrow ones are folded, into the number of bands that makes
// texels largest, and only if they get 1.75 times as large. Bands end at blocks, so that no block
// is cut.
Fold best_fold(Extent2D image, QSizeF view, Extent2D block)
{
    constexpr std::int32_t narrow = 4;      // times as long as wide
    constexpr double worth = 1.75;          // times as large
    constexpr double large_enough = 24;     // pixels of a texel
    constexpr std::int32_t most_bands = 64; // more are hard to follow
    const bool wide = image.width > image.height;
    const std::int32_t size = wide ? image.width : image.height;
    const std::int32_t other = wide ? image.height : image.width;
    const double unfolded = scale_of(image.width, image.height, 0, 0, view);
    Fold best(image);
    if (size < narrow * other) {
        return best;
    }
    double largest = unfolded;
    for (std::int32_t bands = 2; bands <= std::min(most_bands, size) && largest < large_enough;
         ++bands) {
        const std::int32_t length = band_length(size, bands, wide ? block.width : block.height);
        const std::int32_t count = divided_up(size, length);
        const double across = static_cast<double>(other) * count;
        const double scale = wide ? scale_of(length, across, 0, count - 1, view)
                                  : scale_of(across, length, count - 1, 0, view);
        if (count > 1 && scale > largest && scale >= worth * unfolded) {
            largest = scale;
            best = wide ? Fold(image, Fold::Axis::x, length, gap_texels(gap_down, scale), 1)
                        : Fold(image, Fold::Axis::y, length, gap_texels(gap_across, scale), count);
        }
    }
    return best;
}

// Planes of a tensor that lie below each other, as tiles: each is a band of `rows`, and as many
// stand side by side as make them largest.
Fold tiled_fold(Extent2D stack, std::int32_t rows, QSizeF view)
{
    struct Choice {
        double scale = 0;
        std::int32_t across = 1;
    };
    const std::int32_t tiles = divided_up(stack.height, rows);
    const std::int32_t narrow_gap = std::max(1, std::min(stack.width, rows) / 4);
    Choice labelled; // gaps with room for labels
    Choice dense;    // narrow ones, where labelled ones would take most of the view
    for (std::int32_t columns = 1; columns <= tiles; ++columns) {
        const std::int32_t lines = divided_up(tiles, columns);
        const double with_labels =
            scale_of(static_cast<double>(stack.width) * columns, static_cast<double>(rows) * lines,
                     columns - 1, lines - 1, view);
        const double with_gaps =
            scale_of((static_cast<double>(stack.width) + narrow_gap) * columns - narrow_gap,
                     (static_cast<double>(rows) + narrow_gap) * lines - narrow_gap, 0, 0, view);
        labelled = with_labels > labelled.scale ? Choice{with_labels, columns} : labelled;
        dense = with_gaps > dense.scale ? Choice{with_gaps, columns} : dense;
    }
    // Labels are left out where their gaps would make texels smaller than 0.6 of what is possible.
    constexpr double bearable = 0.6;
    return labelled.scale > bearable * dense.scale
               ? Fold(stack, Fold::Axis::y, rows, gap_texels(gap_down, labelled.scale),
                      labelled.across)
               : Fold(stack, Fold::Axis::y, rows, narrow_gap, dense.across);
}

} // namespace texelscope::gui
