#include "experiments/probes/plot_parts.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::experiments {

std::string plot_title(const std::string& what, const std::string& device)
{
    constexpr std::size_t widest = 56;
    const std::string title = what + ", " + device;
    return title.size() <= widest ? title : title.substr(0, title.find_last_not_of(' ', widest - 4) + 1) + "...";
}

std::vector<PanelPlot::Curve> extremes(const std::vector<const ProbePoint*>& points,
                                       const std::function<double(std::size_t)>& place)
{
    constexpr double far = 3;
    PanelPlot::Curve least{"least sample", 6, PanelPlot::Axis::left, {}, false};
    PanelPlot::Curve most{"largest sample", 2, PanelPlot::Axis::left, {}, false};
    double ceiling = 0;
    for (const ProbePoint* point : points) {
        ceiling = std::max(ceiling, point->samples.empty() ? 0 : far * median(*point));
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto [low, high] = std::minmax_element(points[i]->samples.begin(), points[i]->samples.end());
        if (low == points[i]->samples.end()) {
            continue;
        }
        least.points.push_back({place(i), *low, {}});
        most.points.push_back({place(i), std::min(*high, ceiling), {}});
        if (*high > ceiling) {
            most.name = "largest sample, cut off";
        }
    }
    return {std::move(least), std::move(most)};
}

} // namespace texelscope::experiments
