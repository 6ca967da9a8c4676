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
    const std::size_t bins = series.front().histogram.bins.size();
    const auto pitch = static_cast<double>(series.size() + 1); // of the slots, in bars
    PanelPlot plot;
    plot.title = "Strides that leave blocks";
    plot.left_label = value == HistogramValue::strides ? "strides" : "ns by the fitted weights";
    plot.x_label = "assumed block, texels";
    plot.x_low = -1;
    plot.x_high = pitch * static_cast<double>(bins);
    plot.panel_width = 460;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const Extent2D block = series.front().histogram.bins[bin].block;
        plot.x_ticks.push_back(pitch * static_cast<double>(bin) + static_cast<double>(series.size() - 1) / 2);
        plot.x_tick_names.push_back(std::to_string(block.width) + "x" + std::to_string(block.height));
    }
    for (const bool along_x : {true, false}) {
        PanelPlot::Panel& panel = plot.panels.emplace_back();
        panel.title = along_x ? "along x" : "along y";
        for (std::size_t i = 0; i < series.size(); ++i) {
            PanelPlot::Bars bars{series[i].name.toStdString(), static_cast<int>(i) + 1, {}};
            for (std::size_t bin = 0; bin < bins; ++bin) {
                bars.points.push_back({pitch * static_cast<double>(bin) + static_cast<double>(i),
                                       bar_value(series[i], bin, along_x, value),
                                       about_bar(series[i], bin, along_x).toStdString()});
            }
            panel.bars.push_back(std::move(bars));
        }
    }
    return plot;
}

} // namespace texelscope::gui
