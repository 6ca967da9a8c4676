#pragma once

#include "gui/plots/histogram_series.hpp"

#include <QRectF>
#include <cstdint>
#include <vector>

namespace texelscope::gui {

/// The room around and between the two plots of cross-block histograms, in pixels.
struct HistogramMargins {
    double left = 48; ///< numbers of the axis
    double right = 8;
    double top = 24;    ///< legend
    double bottom = 18; ///< block shapes
    double gap = 20;    ///< between the two plots: the lower one's title
};

/// One bar: the value of one series for one assumed block shape along one direction; as long as its magnitude.
struct HistogramBar {
    QRectF rect;
    std::size_t series = 0;
    std::size_t bin = 0;
    bool along_x = true;
    double value = 0;
};

/// Two plots of one scale above each other, strides along x and along y. A slot of the width belongs to one block
/// shape, and holds one bar for each series side by side.
struct HistogramGeometry {
    QRectF x_plot;
    QRectF y_plot;
    double max = 0; ///< value at the top of a plot
    std::vector<HistogramBar> bars;

    [[nodiscard]] double slot_width(std::size_t bins) const { return x_plot.width() / static_cast<double>(bins); }
};

/// The histograms have the same block shapes.
[[nodiscard]] HistogramGeometry histogram_geometry(const std::vector<HistogramSeries>& series, HistogramValue value,
                                                   const QRectF& area, const HistogramMargins& margins);

} // namespace texelscope::gui
