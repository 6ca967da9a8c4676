// Draws a heat map at any scale. Where texels are smaller than pixels, a pixel shows the largest
// value under it, so that a single hot texel never disappears. A pyramid of maxima keeps the work
// per pixel constant: each level halves the one below.

#include "gui/heat_map/heat_map_raster.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace texelscope::gui {
namespace {

/// Texels [first, last) under one column or row of pixels; empty outside of the map.
struct Span {
    std::int32_t first = 0;
    std::int32_t last = 0;

    [[nodiscard]] bool empty() const { return first >= last; }
    bool operator==(const Span&) const = default;
};

/// Pixels [first, last) that the texels [low, high) of a band reach, with one more on each side for
/// rounding.
Span pixels_of(std::int32_t low, std::int32_t high, double origin, double scale, int pixels)
{
    const auto clamped = [&](double at) {
        return static_cast<std::int32_t>(std::clamp(at, 0.0, static_cast<double>(pixels)));
    };
    return {clamped(std::floor((low - origin) * scale) - 1),
            clamped(std::ceil((high - origin) * scale) + 1)};
}

/// The texels of [low, high) under each of some pixels.
std::vector<Span> spans(const Span& pixels, double origin, double scale, std::int32_t low,
                        std::int32_t high)
{
    const auto clamped = [&](double at) {
        return static_cast<std::int32_t>(
            std::clamp(at, static_cast<double>(low), static_cast<double>(high)));
    };
    std::vector<Span> result;
    result.reserve(static_cast<std::size_t>(std::max(0, pixels.last - pixels.first)));
    for (int pixel = pixels.first; pixel < pixels.last; ++pixel) {
        if (scale >= 1) {
            const double at = std::floor(origin + (pixel + 0.5) / scale);
            result.push_back({clamped(at), clamped(at + 1)});
        } else {
            // Both borders are computed in the same way for neighbours, so no texel falls between
            // two pixels.
            result.push_back({clamped(std::floor(origin + pixel / scale)),
                              clamped(std::ceil(origin + (pixel + 1) / scale))});
        }
    }
    return result;
}

/// The first and behind the last of the columns that are not empty. They follow each other.
std::pair<std::size_t, std::size_t> visible_columns(const std::vector<Span>& columns)
{
    std::size_t first = 0;
    while (first < columns.size() && columns[first].empty()) {
        ++first;
    }
    std::size_t last = first;
    while (last < columns.size() && !columns[last].empty()) {
        ++last;
    }
    return {first, last};
}

/// The cells of a level under a span of texels.
Span cells_under(const Span& texels, int level)
{
    return {texels.first >> level, ((texels.last - 1) >> level) + 1};
}

/// The coarsest level whose cells each lie in one band.
int level_of_bands(const Fold& fold)
{
    return fold.folded() ? std::countr_zero(static_cast<std::uint32_t>(fold.length()))
                         : std::numeric_limits<int>::max();
}

/// Draws one band. `larger`: which of two values stands for both (for differences, the larger
/// magnitude).
template <class Larger>
void draw_band(QImage& image, const MaxPyramid& pyramid, int level, const Viewport& view,
               const TexelRange& texels, const ColourTable& colours, const Larger& larger)
{
    const HeatMap& map = pyramid.level(level);
    const Span across = pixels_of(texels.x0, texels.x1, view.origin.x(), view.scale, image.width());
    const Span down = pixels_of(texels.y0, texels.y1, view.origin.y(), view.scale, image.height());
    const auto columns = spans(across, view.origin.x(), view.scale, texels.x0, texels.x1);
    const auto rows = spans(down, view.origin.y(), view.scale, texels.y0, texels.y1);
    const auto [first, last] = visible_columns(columns);
    if (first == last) {
        return;
    }
    // Row by row: first down the rows of cells under a row of pixels, then along it, so that memory
    // is read in order.
    const std::int32_t left = cells_under(columns[first], level).first;
    const std::int32_t right = cells_under(columns[last - 1], level).last;
    std::vector<std::int64_t> largest(static_cast<std::size_t>(right - left));
    for (std::size_t y = 0; y < rows.size(); ++y) {
        const Span row = rows[y];
        if (row.empty()) {
            continue;
        }
        const int at = down.first + static_cast<int>(y);
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(at)) + across.first;
        // Several rows of pixels show the same texels where these are large: the row above is
        // copied.
        if (y > 0 && row == rows[y - 1]) {
            const auto* above =
                reinterpret_cast<const QRgb*>(image.constScanLine(at - 1)) + across.first;
            std::copy(above + first, above + last, line + first);
            continue;
        }
        const Span cell_rows = cells_under(row, level);
        const auto cells_of = [&](std::int32_t cell_row) {
            return map.counts.data() + std::int64_t{cell_row} * map.extent.width + left;
        };
        std::copy_n(cells_of(cell_rows.first), largest.size(), largest.begin());
        for (std::int32_t cell_row = cell_rows.first + 1; cell_row < cell_rows.last; ++cell_row) {
            const std::int64_t* cells = cells_of(cell_row);
            for (std::size_t i = 0; i < largest.size(); ++i) {
                largest[i] = larger(largest[i], cells[i]);
            }
        }
        QRgb colour = 0;
        for (std::size_t x = first; x < last; ++x) {
            if (x == first || columns[x] != columns[x - 1]) {
                const Span along = cells_under(columns[x], level);
                std::int64_t value = largest[static_cast<std::size_t>(along.first - left)];
                for (std::int32_t cell = along.first + 1; cell < along.last; ++cell) {
                    value = larger(value, largest[static_cast<std::size_t>(cell - left)]);
                }
                colour = colours.colour(value);
            }
            line[x] = colour;
        }
    }
}

} // namespace

MaxPyramid::MaxPyramid(HeatMap map)
{
    has_negative_ = std::any_of(map.counts.begin(), map.counts.end(),
                                [](std::int64_t value) { return value < 0; });
    levels_.push_back(std::move(map));
    while (levels_.back().extent.width > 1 || levels_.back().extent.height > 1) {
        levels_.push_back(halved(levels_.back()));
    }
}

HeatMap MaxPyramid::halved(const HeatMap& map)
{
    HeatMap half{{(map.extent.width + 1) / 2, (map.extent.height + 1) / 2}, {}};
    half.counts.assign(static_cast<std::size_t>(half.extent.area()), 0);
    const auto width = static_cast<std::size_t>(map.extent.width);
    const auto half_width = static_cast<std::size_t>(half.extent.width);
    for (std::size_t y = 0; y < static_cast<std::size_t>(map.extent.height); ++y) {
        const std::int64_t* row = map.counts.data() + y * width;
        std::int64_t* into = half.counts.data() + y / 2 * half_width;
        for (std::size_t x = 0; x < width; ++x) {
            into[x / 2] = larger(into[x / 2], row[x]);
        }
    }
    return half;
}

int MaxPyramid::level_for(double texels) const
{
    int level = 0;
    for (double cell = 2; cell <= texels && level + 1 < levels(); cell *= 2) {
        ++level;
    }
    return level;
}

QImage heat_map_raster(const MaxPyramid& pyramid, const Fold& fold, const Viewport& view,
                       QSize size, const ColourTable& colours, QRgb outside)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(outside);
    const int level = std::min(pyramid.level_for(1 / view.scale), level_of_bands(fold));
    for (const ShownBand& band : shown_bands(fold, view, size)) {
        const TexelRange texels = fold.texels(band.band);
        if (pyramid.has_negative()) {
            draw_band(image, pyramid, level, band.view, texels, colours, MaxPyramid::larger);
        } else { // the same, and a multiple as fast
            draw_band(image, pyramid, level, band.view, texels, colours,
                      [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
        }
    }
    return image;
}

void blend(QImage& image, const QRect& part, const QColor& colour)
{
    const QRect inside = part.intersected(image.rect());
    const int alpha = colour.alpha();
    const auto mixed = [alpha](int over, int under) {
        return (over * alpha + under * (255 - alpha) + 127) / 255;
    };
    for (int y = inside.top(); y <= inside.bottom(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = inside.left(); x <= inside.right(); ++x) {
            const QRgb under = line[x];
            line[x] = qRgb(mixed(colour.red(), qRed(under)), mixed(colour.green(), qGreen(under)),
                           mixed(colour.blue(), qBlue(under)));
        }
    }
}

} // namespace texelscope::gui
