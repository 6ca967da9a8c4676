#include "workbench/plots/plot_json.hpp"

#include "base/error.hpp"
#include "base/json_integer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace texelscope::workbench::plots {
namespace {

using nlohmann::ordered_json;

// JSON has no number for what is not finite. It is null there, and plots leave such points out.
double number_of(const ordered_json& json)
{
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

double panel_side(const ordered_json& json)
{
    constexpr double longest = 1'000'000; // pixels; no picture is larger
    const auto side = json.get<double>();
    if (!(side >= 1 && side <= longest)) {
        throw bad_input(
            "a panel of its plot is less than a pixel or more than 1,000,000 pixels long");
    }
    return side;
}

ordered_json points_json(const std::vector<PanelPlot::Point>& points)
{
    ordered_json out = ordered_json::array();
    for (const PanelPlot::Point& point : points) {
        out.push_back({point.x, point.y, point.about, point.radius});
    }
    return out;
}

std::vector<PanelPlot::Point> points_of(const ordered_json& json)
{
    std::vector<PanelPlot::Point> points;
    for (const ordered_json& point : json) {
        points.push_back(
            {number_of(point.at(0)), number_of(point.at(1)), point.at(2), number_of(point.at(3))});
    }
    return points;
}

ordered_json panel_json(const PanelPlot::Panel& panel)
{
    ordered_json bars = ordered_json::array(), curves = ordered_json::array();
    for (const PanelPlot::Bars& one : panel.bars) {
        bars.push_back(
            {{"name", one.name}, {"colour", one.colour}, {"points", points_json(one.points)}});
    }
    for (const PanelPlot::Curve& one : panel.curves) {
        curves.push_back({{"name", one.name},
                          {"colour", one.colour},
                          {"right", one.axis == PanelPlot::Axis::right},
                          {"marks", one.marks},
                          {"line", one.line},
                          {"look", static_cast<int>(one.look)},
                          {"dashed", one.dashed},
                          {"points", points_json(one.points)}});
    }
    return {{"title", panel.title}, {"bars", bars}, {"curves", curves}, {"rules", panel.rules}};
}

PanelPlot::Panel panel_of(const ordered_json& json)
{
    PanelPlot::Panel panel;
    panel.title = json.at("title");
    for (const ordered_json& one : json.at("bars")) {
        panel.bars.push_back(
            {one.at("name"), integer_of<int>(one.at("colour")), points_of(one.at("points"))});
    }
    for (const ordered_json& one : json.at("curves")) {
        const int look = integer_of<int>(one.at("look"));
        // A file may have any number here; an unknown look becomes the nearest known one.
        panel.curves.push_back(
            {.name = one.at("name"),
             .colour = integer_of<int>(one.at("colour")),
             .axis = one.at("right") ? PanelPlot::Axis::right : PanelPlot::Axis::left,
             .points = points_of(one.at("points")),
             .marks = one.at("marks"),
             .line = one.at("line"),
             .look = static_cast<DrawnMark::Look>(
                 std::clamp(look, 0, static_cast<int>(DrawnMark::Look::cross))),
             .dashed = one.at("dashed")});
    }
    panel.rules = json.at("rules").get<std::vector<double>>();
    return panel;
}

} // namespace

ordered_json plot_json(const PanelPlot& plot)
{
    ordered_json out{{"title", plot.title},
                     {"x_label", plot.x_label},
                     {"left_label", plot.left_label},
                     {"right_label", plot.right_label},
                     {"rule_label", plot.rule_label},
                     {"x_low", plot.x_low},
                     {"x_high", plot.x_high},
                     {"x_log", plot.x_log},
                     {"left_log", plot.left_log},
                     {"x_ticks", plot.x_ticks},
                     {"x_tick_names", plot.x_tick_names},
                     {"panel_width", plot.panel_width},
                     {"panel_height", plot.panel_height},
                     {"columns", plot.columns},
                     {"legend", plot.legend}};
    out["panels"] = ordered_json::array();
    for (const PanelPlot::Panel& panel : plot.panels) {
        out["panels"].push_back(panel_json(panel));
    }
    if (plot.left) {
        out["left"] = {{"low", plot.left->low}, {"high", plot.left->high}, {"log", plot.left->log}};
    }
    // A function cannot be kept, but its texts at whole numbers can: axes of names have no others.
    if (plot.left && plot.left_text) {
        out["left_texts"] = ordered_json::array();
        const double least = std::ceil(std::min(plot.left->low, plot.left->high));
        for (double value = least; value <= std::max(plot.left->low, plot.left->high); ++value) {
            out["left_texts"].push_back({value, plot.left_text(value)});
        }
    }
    return out;
}

PanelPlot plot_from_json(const ordered_json& json)
{
    PanelPlot plot;
    plot.title = json.at("title");
    plot.x_label = json.at("x_label");
    plot.left_label = json.at("left_label");
    plot.right_label = json.at("right_label");
    plot.rule_label = json.at("rule_label");
    plot.x_low = json.at("x_low");
    plot.x_high = json.at("x_high");
    plot.x_log = json.at("x_log");
    plot.left_log = json.at("left_log");
    plot.x_ticks = json.at("x_ticks").get<std::vector<double>>();
    plot.x_tick_names = json.at("x_tick_names").get<std::vector<std::string>>();
    // A picture of the plot is made later, so its sides are checked here.
    plot.panel_width = panel_side(json.at("panel_width"));
    plot.panel_height = panel_side(json.at("panel_height"));
    plot.columns = json.at("columns");
    plot.legend = json.at("legend");
    for (const ordered_json& panel : json.at("panels")) {
        plot.panels.push_back(panel_of(panel));
    }
    if (json.contains("left")) {
        const ordered_json& left = json.at("left");
        plot.left = PlotAxis{left.at("low"), left.at("high"), left.at("log")};
    }
    if (json.contains("left_texts")) {
        // Each of them is asked for when the plot is drawn.
        constexpr double most_texts = 100'000; // one for each whole number along the axis
        if (plot.left && !(std::abs(plot.left->high - plot.left->low) <= most_texts)) {
            throw bad_input("an axis of names is endless");
        }
        std::map<long, std::string> texts;
        for (const ordered_json& text : json.at("left_texts")) {
            texts[std::lround(text.at(0).get<double>())] = text.at(1);
        }
        plot.left_text = [texts](double value) {
            const auto found = texts.find(std::lround(value));
            const bool whole = std::abs(value - std::round(value)) < 1e-6;
            return whole && found != texts.end() ? found->second : std::string();
        };
    }
    return plot;
}

} // namespace texelscope::workbench::plots
