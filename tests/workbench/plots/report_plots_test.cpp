// Bars and points of the report's plots, read back from their SVG.

#include "base/error.hpp"
#include "tests/workbench/report/parse_page.hpp"
#include "workbench/plots/panel_plot.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <string>

using namespace texelscope;
using namespace texelscope::workbench::plots;
using test::parse_page;

namespace {

constexpr double no_height = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("heights of bars are proportional to their values, downwards where negative")
{
    const PanelPlot plot = grouped_bars(
        {"a", "b", "c"}, {{{"s", 1, {{0, 10, "ten"}, {0, -5, "minus"}, {0, no_height, "?"}}}}});
    const pugi::xml_document document = parse_page(svg_element(draw(plot), "bars & more"));
    const auto bars = document.select_nodes("//rect[title]");
    REQUIRE(bars.size() == 2);
    const pugi::xml_node ten = bars[0].node();
    const pugi::xml_node minus = bars[1].node();
    CHECK(ten.attribute("height").as_double() ==
          Approx(2 * minus.attribute("height").as_double()).margin(0.02));
    CHECK(ten.attribute("y").as_double() + ten.attribute("height").as_double() ==
          Approx(minus.attribute("y").as_double()).margin(0.02));
    CHECK(std::string(document.child("svg").attribute("aria-label").value()) == "bars & more");
    CHECK_THROWS_AS(grouped_bars({"a"}, {{{"s", 1, {}}}}), Error);
    parse_page(svg_element(draw(grouped_bars({}, {{}})), ""));
}

TEST_CASE("points are placed by the logarithm of their values")
{
    const auto page_of = [](std::vector<PanelPlot::Point> points,
                            DrawnMark::Look look = DrawnMark::Look::ringed) {
        PanelPlot::Curve curve{"", 1, PanelPlot::Axis::left, std::move(points)};
        curve.look = look;
        return parse_page(svg_element(draw(scatter_plot({curve}, ScatterAxes::equals)), "t"));
    };
    // 1, 10, 100 are evenly spaced along both axes, and y grows upwards.
    const pugi::xml_document document = page_of({{1, 100, "p"}, {10, 10, "q"}, {100, 1, "r"}});
    const auto points = document.select_nodes("//circle");
    REQUIRE(points.size() == 3);
    const auto x = [&](std::size_t i) { return points[i].node().attribute("cx").as_double(); };
    const auto y = [&](std::size_t i) { return points[i].node().attribute("cy").as_double(); };
    CHECK(x(1) - x(0) == Approx(x(2) - x(1)).margin(0.2));
    CHECK(y(1) - y(0) == Approx(y(2) - y(1)).margin(0.2));
    CHECK(x(0) < x(1));
    CHECK(y(0) < y(1));
    CHECK(document.select_nodes("//polyline[@stroke-dasharray]").size() == 1);

    // Where no x equals a y there is no line of equals; and one point alone has a place too.
    const pugi::xml_document apart = page_of({{1, 1e6, "p"}}, DrawnMark::Look::cross);
    CHECK(apart.select_nodes("//polyline[@stroke-dasharray]").empty());
    CHECK(apart.select_nodes("//path[title='p']").size() == 1);
    page_of({{1e-9, 1e30, "p"}, {1e12, 2e-5, "q"}});
}
