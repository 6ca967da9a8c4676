#include "gui/plots/histogram_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::gui {

HistogramGeometry histogram_geometry(const std::vector<HistogramSeries>& series, HistogramValue value,
                                     const QRectF& area, const HistogramMargins& margins)
{
    HistogramGeometry geometry;
    const double width = std::max(1.0, area.width() - margins.left - margins.right);
    const double height = std::max(2.0, area.height() - margins.top - margins.gap - margins.bottom) / 2;
    geometry.x_plot = {area.left() + margins.left, area.top() + margins.top, width, height};
    geometry.y_plot = geometry.x_plot.translated(0, height + margins.gap);
    if (series.empty() || series.front().histogram.bins.empty()) {
        return geometry;
    }
    constexpr double filled = 0.8; // of a slot; the rest separates neighbours
    const std::size_t bins = series.front().histogram.bins.size();
    const double slot = geometry.slot_width(bins);
    const double bar = slot * filled / static_cast<double>(series.size());
    for (const bool along_x : {true, false}) {
        const QRectF& plot = along_x ? geometry.x_plot : geometry.y_plot;
        for (std::size_t number = 0; number < series.size(); ++number) {
            for (std::size_t bin = 0; bin < bins; ++bin) {
                const double left = plot.left() + slot * (static_cast<double>(bin) + (1 - filled) / 2) +
                                    bar * static_cast<double>(number);
                const double of_bar = bar_value(series[number], bin, along_x, value);
                geometry.max = std::max(geometry.max, std::abs(of_bar));
                geometry.bars.push_back({{left, plot.bottom(), bar, 0}, number, bin, along_x, of_bar});
            }
        }
    }
    for (HistogramBar& each : geometry.bars) {
        const double share = geometry.max > 0 ? std::abs(each.value) / geometry.max : 0;
        each.rect.setTop(each.rect.bottom() - geometry.x_plot.height() * share);
    }
    return geometry;
}

} // namespace texelscope::gui
