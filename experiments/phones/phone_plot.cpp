#include "experiments/phones/phone_plot.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <map>

namespace texelscope::experiments {
namespace {

using workbench::plots::PanelPlot;

constexpr double ns_per_ms = 1e6;

/// The points of one panel, by judge.
struct PhonePanel {
    PanelPlot::Curve model{"model", 1};
    PanelPlot::Curve simulator{"simulator", 5};

    void add(double measured, double by_model, double by_simulator, const std::string& about)
    {
        for (const auto& [curve, judged] :
             {std::pair{&model, by_model}, std::pair{&simulator, by_simulator}}) {
            if (judged > 0) {
                constexpr double radius = 1.8; // there are hundreds
                curve->points.push_back({measured / ns_per_ms, judged / ns_per_ms, about, radius});
            }
        }
    }
};

} // namespace

PanelPlot phone_plot(const MeasuredPhones& phones)
{
    std::vector<std::pair<std::string, PhonePanel>> panels;
    for (const PhoneTask& task : phones.tasks) {
        PhonePanel panel;
        for (const PhoneTask::Point& point : task.points) {
            panel.add(point.measured, point.model, point.simulator, task.op);
        }
        panels.emplace_back(task.op.substr(task.op.find(' ') + 1), std::move(panel));
    }
    std::map<std::string, PhonePanel> layers; // by device
    for (const PhoneLayer& layer : phones.layers) {
        const auto with_copies = [&](double ns) {
            return ns > 0 ? ns + layer.judged.copies_ns : 0;
        };
        layers[layer.device].add(layer.measured_ns, with_copies(layer.judged.model_ns),
                                 with_copies(layer.judged.simulator_ns), layer.op);
    }
    for (auto& [device, panel] : layers) {
        panels.emplace_back(device + ": layers", std::move(panel));
    }
    std::vector<PanelPlot::Curve> all; // whose axes hold everything
    for (const auto& [title, panel] : panels) {
        all.push_back(panel.model);
        all.push_back(panel.simulator);
    }
    if (all.empty()) {
        throw bad_input("no kernel was judged", "the plot", "give logs of a device with a profile");
    }
    PanelPlot plot = scatter_plot(std::move(all), workbench::plots::ScatterAxes::one_scale);
    plot.title = "Kernels measured on phones: predicted over measured time";
    plot.x_label = "measured, ms";
    plot.left_label = "predicted, ms";
    const PanelPlot::Curve equal = plot.panels.front().curves.front();
    plot.panels.clear();
    for (auto& [title, panel] : panels) {
        PanelPlot::Panel& made = plot.panels.emplace_back();
        made.title = title;
        made.curves = {equal};
        for (PanelPlot::Curve* const curve : {&panel.model, &panel.simulator}) {
            curve->line = false;
            if (!curve->points.empty()) {
                made.curves.push_back(std::move(*curve));
            }
        }
    }
    return plot;
}

} // namespace texelscope::experiments
