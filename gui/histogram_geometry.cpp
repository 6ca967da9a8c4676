#include "gui/histogram_geometry.hpp"

#include <algorithm>

namespace texelscope {

HistogramGeometry histogram_geometry(const std::vector<CrossBlockHistogram>& images, const QRectF& area,
                                     const HistogramMargins& margins)
{
    HistogramGeometry geometry;
    const double width = std::max(1.0, area.width() - margins.left - margins.right);
    const double height = std::max(2.0, area.height() - margins.top - margins.gap - margins.bottom) / 2;
    geometry.x_plot = {area.left() + margins.left, area.top() + margins.top, width, height};
    geometry.y_plot = geometry.x_plot.translated(0, height + margins.gap);
    for (const CrossBlockHistogram& histogram : images) {
        for (const auto& bin : histogram.bins) {
            geometry.max = std::max({geometry.max, bin.x, bin.y});
        }
    }
    if (images.empty() || images.front().bins.empty()) {
        return geometry;
    }
    constexpr double filled = 0.8; // of a slot; the rest separates neighbours
    const std::size_t bins = images.front().bins.size();
    const double slot = geometry.slot_width(bins);
    const double bar = slot * filled / static_cast<double>(images.size());
    for (const bool along_x : {true, false}) {
        const QRectF& plot = along_x ? geometry.x_plot : geometry.y_plot;
        for (std::size_t image = 0; image < images.size(); ++image) {
            for (std::size_t bin = 0; bin < bins; ++bin) {
                const auto& counts = images[image].bins[bin];
                const std::int64_t count = along_x ? counts.x : counts.y;
                const double length =
                    geometry.max == 0 ? 0.0
                                      : plot.height() * static_cast<double>(count) / static_cast<double>(geometry.max);
                const double left = plot.left() + slot * (static_cast<double>(bin) + (1 - filled) / 2) +
                                    bar * static_cast<double>(image);
                geometry.bars.push_back({{left, plot.bottom() - length, bar, length}, image, bin, along_x, count});
            }
        }
    }
    return geometry;
}

} // namespace texelscope
