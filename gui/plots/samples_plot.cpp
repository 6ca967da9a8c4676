#include "gui/plots/samples_plot.hpp"

#include "gui/widgets/controls.hpp"
#include "gui/widgets/number_text.hpp"

#include <algorithm>

namespace texelscope::gui {

PanelPlot samples_plot(const std::vector<double>& samples_ns, double median_ns)
{
    const auto [least, most] = std::minmax_element(samples_ns.begin(), samples_ns.end());
    // Where all are the same, they lie in the middle of a range that is not empty; else with room for their marks.
    const double margin = *most > *least ? 0.03 * (*most - *least) : std::max(1.0, *most / 10);
    PanelPlot plot;
    plot.title = "Timing samples";
    plot.x_low = *least - margin;
    plot.x_high = *most + margin;
    plot.x_text = [](double ns) { return time_text({ns}).toStdString(); };
    plot.left = PlotAxis{static_cast<double>(samples_ns.size()) + 0.5, 0.5};
    plot.left_text = [](double) { return std::string(); };
    plot.panel_width = 420;
    plot.panel_height = 90;
    PanelPlot::Curve samples{"samples", 1, PanelPlot::Axis::left, {}, true, false, DrawnMark::Look::ringed};
    for (std::size_t i = 0; i < samples_ns.size(); ++i) {
        samples.points.push_back({samples_ns[i], static_cast<double>(i + 1),
                                  tr("Sample %1: %2").arg(i + 1).arg(time_text({samples_ns[i]})).toStdString(), 3.5});
    }
    plot.rule_label = "median";
    plot.panels.push_back({{}, {}, {std::move(samples)}, {median_ns}});
    return plot;
}

} // namespace texelscope::gui
