#include "gui/heat_map_raster.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope {
namespace {

/// Texels [first, last) under one column or row of pixels; empty outside of the map.
struct Span {
    std::int32_t first = 0;
    std::int32_t last = 0;

    [[nodiscard]] bool empty() const { return first >= last; }
    bool operator==(const Span&) const = default;
};

std::vector<Span> spans(int pixels, double origin, double scale, std::int32_t texels)
{
    const auto clamped = [&](double at) {
        return static_cast<std::int32_t>(std::clamp(at, 0.0, static_cast<double>(texels)));
    };
    std::vector<Span> result;
    result.reserve(static_cast<std::size_t>(pixels));
    for (int pixel = 0; pixel < pixels; ++pixel) {
        if (scale >= 1) {
            const double at = std::floor(origin + (pixel + 0.5) / scale);
            result.push_back({clamped(at), clamped(at + 1)});
        } else {
            // Both borders are computed in the same way for neighbours, so no texel falls between two pixels.
            result.push_back(
                {clamped(std::floor(origin + pixel / scale)), clamped(std::ceil(origin + (pixel + 1) / scale))});
        }
    }
    return result;
}

} // namespace

QImage heat_map_raster(const MaxPyramid& pyramid, const Viewport& view, QSize size, const ColourTable& colours,
                       QRgb outside)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(outside);
    const int level = pyramid.level_for(1 / view.scale);
    const auto columns = spans(size.width(), view.origin.x(), view.scale, pyramid.extent().width);
    const auto rows = spans(size.height(), view.origin.y(), view.scale, pyramid.extent().height);
    for (int y = 0; y < size.height(); ++y) {
        const Span row = rows[static_cast<std::size_t>(y)];
        if (row.empty()) {
            continue;
        }
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        if (y > 0 && row == rows[static_cast<std::size_t>(y) - 1]) {
            std::copy_n(reinterpret_cast<const QRgb*>(image.constScanLine(y - 1)), size.width(), line);
            continue;
        }
        Span last;
        QRgb colour = outside;
        for (int x = 0; x < size.width(); ++x) {
            const Span column = columns[static_cast<std::size_t>(x)];
            if (column.empty()) {
                continue;
            }
            if (column != last) {
                colour = colours.colour(pyramid.max_over(level, {column.first, column.last, row.first, row.last}));
                last = column;
            }
            line[x] = colour;
        }
    }
    return image;
}

} // namespace texelscope
