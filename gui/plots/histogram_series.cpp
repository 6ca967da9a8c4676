#include "gui/plots/histogram_series.hpp"

#include "base/error.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/number_text.hpp"

#include <algorithm>

namespace texelscope::gui {
double HistogramSeries::weight(std::size_t bin, bool along_x) const
{
    return beta.empty() ? 0 : beta[2 * bin + (along_x ? 0 : 1)];
}

std::int64_t HistogramSeries::count(std::size_t bin, bool along_x) const
{
    return along_x ? histogram.bins[bin].x : histogram.bins[bin].y;
}

double bar_value(const HistogramSeries& series, std::size_t bin, bool along_x, HistogramValue value)
{
    const auto count = static_cast<double>(series.count(bin, along_x));
    return value == HistogramValue::strides ? count : count * series.weight(bin, along_x);
}

std::vector<double> weights_for(const CrossBlockHistogram& histogram, const LinearModel& model)
{
    const bool same = std::equal(histogram.bins.begin(), histogram.bins.end(), model.shapes.begin(), model.shapes.end(),
                                 [](const auto& bin, Extent2D shape) { return bin.block == shape; });
    return same ? model.beta : std::vector<double>{};
}

QString about_bar(const HistogramSeries& series, std::size_t bin, bool along_x)
{
    const QString strides =
        tr("%1: %2 of %3 reads leave a block of %4 texels along %5")
            .arg(series.name, count_text(series.count(bin, along_x)), count_text(series.histogram.accesses),
                 size_text(series.histogram.bins[bin].block), along_x ? u"x" : u"y");
    if (series.beta.empty()) {
        return strides;
    }
    return strides + tr("; at %1 each by the calibrated regression: %2")
                         .arg(time_text(Nanoseconds{series.weight(bin, along_x)}),
                              time_text(Nanoseconds{bar_value(series, bin, along_x, HistogramValue::time)}));
}

PanelPlot histogram_plot(const std::vector<HistogramSeries>& series, HistogramValue value)
{
    if (series.empty()) {
        throw bad_input("there is no histogram yet", "export", "run a study first");
    }
    std::vector<std::string> blocks;
    for (const auto& bin : series.front().histogram.bins) {
        blocks.push_back(size_text(bin.block).toStdString());
    }
    std::vector<std::vector<PanelPlot::Bars>> panels;
    for (const bool along_x : {true, false}) {
        std::vector<PanelPlot::Bars>& bars = panels.emplace_back();
        for (const HistogramSeries& one : series) {
            bars.push_back({one.name.toStdString(), 1, {}});
            for (std::size_t bin = 0; bin < blocks.size(); ++bin) {
                bars.back().points.push_back(
                    {0, bar_value(one, bin, along_x, value), about_bar(one, bin, along_x).toStdString()});
            }
        }
    }
    PanelPlot plot = grouped_bars(blocks, std::move(panels));
    plot.panels[0].title = "along x";
    plot.panels[1].title = "along y";
    plot.title = "Strides that leave blocks";
    plot.left_label = value == HistogramValue::strides ? "strides" : "ns by the fitted weights";
    plot.x_label = "assumed block, texels";
    plot.panel_width = 460;
    return plot;
}

} // namespace texelscope::gui
