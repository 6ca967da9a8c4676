#include "experiments/papers/choice_ratios.hpp"

#include "base/geometric_mean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::experiments {

ChoiceRatios::ChoiceRatios(std::span<const char* const> names)
    : choosers(names.begin(), names.end()), ratios(names.size())
{}

void ChoiceRatios::add(const std::string& name, std::span<const double> of_case)
{
    cases.push_back(name);
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        ratios[i].push_back(of_case[i]);
    }
}

double ChoiceRatios::mean(std::size_t chooser) const
{
    return geometric_mean(ratios[chooser]);
}

double ChoiceRatios::worst(std::size_t chooser) const
{
    double most = 1;
    for (const double ratio : ratios[chooser]) {
        most = std::max(most, ratio);
    }
    return most;
}

double ChoiceRatios::share_as_good(std::size_t chooser) const
{
    constexpr double as_good = 1.01;
    const auto& all = ratios[chooser];
    const auto good = std::count_if(all.begin(), all.end(), [&](double ratio) { return ratio <= as_good; });
    return static_cast<double>(good) / static_cast<double>(all.size());
}

std::string ChoiceRatios::of_each(const std::function<std::string(std::size_t)>& value) const
{
    std::string text;
    for (std::size_t i = 0; i < choosers.size(); ++i) {
        text += fmt::format("{}{} {}", i > 0 ? ", " : "", choosers[i], value(i));
    }
    return text;
}

std::string ChoiceRatios::means() const
{
    return of_each([&](std::size_t i) { return fmt::format("{:.3f}", mean(i)); });
}

std::string ChoiceRatios::worsts() const
{
    return of_each([&](std::size_t i) { return fmt::format("{:.3f}", worst(i)); });
}

std::string ChoiceRatios::shares() const
{
    return of_each([&](std::size_t i) { return fmt::format("{:.0f} %", 100 * share_as_good(i)); });
}

std::vector<Finding> paper_findings(const ChoiceRatios& choices, std::size_t literal, std::size_t bottleneck,
                                    const std::string& paper_share)
{
    constexpr double least_share = 0.941, most_worst = 1 / 0.838;
    return {
        {"the model as printed chooses the best configuration, or one within 1 % of it, nearly always", paper_share,
         choices.shares(), verdict_of(choices.share_as_good(literal) >= least_share)},
        {"where the model as printed is wrong, its choice is nearly as good",
         "83.8 to 98.4 % of the best's speed (section 6.4, figure 10): at most 1.193 times its time", choices.worsts(),
         verdict_of(choices.worst(literal) <= most_worst)},
        {"what the profile knows of caches and bandwidths makes for better choices than the model as printed",
         "not in the paper", choices.means(), verdict_of(choices.mean(bottleneck) < choices.mean(literal))},
    };
}

PanelPlot choice_plot(const ChoiceRatios& choices, const std::string& title)
{
    PanelPlot plot;
    plot.title = title;
    plot.left_label = "time over the best";
    plot.x_low = 0.4;
    plot.x_high = static_cast<double>(choices.choosers.size()) + 0.6;
    plot.panel_width = 640;
    plot.x_label = "chosen by";
    PanelPlot::Panel& panel = plot.panels.emplace_back();
    PanelPlot::Bars means{"geometric mean", 1, {}};
    for (std::size_t i = 0; i < choices.choosers.size(); ++i) {
        const double x = static_cast<double>(i) + 1;
        plot.x_ticks.push_back(x);
        plot.x_tick_names.push_back(choices.choosers[i]);
        means.points.push_back({x, choices.mean(i), fmt::format("{:.3f}", choices.mean(i))});
        for (std::size_t one = 0; one < choices.cases.size(); ++one) {
            // Each a curve of its own: points alone.
            PanelPlot::Curve dot{"an operator and shape", 2, PanelPlot::Axis::left, {}, true, false};
            const double ratio = choices.ratios[i][one];
            dot.points.push_back({x, ratio, fmt::format("{}: {:.3f}", choices.cases[one], ratio)});
            panel.curves.push_back(std::move(dot));
        }
    }
    panel.bars.push_back(std::move(means));
    return plot;
}

} // namespace texelscope::experiments
