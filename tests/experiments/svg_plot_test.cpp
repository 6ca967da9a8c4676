// Bars and points of the report's plots, read back from their SVG.

#include "base/error.hpp"
#include "experiments/render/svg_plot.hpp"
#include "tests/experiments/parse_page.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <string>

using namespace texelscope;
using namespace texelscope::experiments;
using test::parse_page;

namespace {

constexpr double no_height = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("heights of bars are proportional to their values, downwards where negative")
{
    const BarPlot plot{
        "bars & more", "ns", {"a", "b", "c"}, {{"s", {{10, "ten"}, {-5, "minus"}, {no_height, "?"}}}}};
    const pugi::xml_document document = parse_page(to_svg(plot));
    const auto bars = document.select_nodes("//rect[title]");
    REQUIRE(bars.size() == 2);
    const pugi::xml_node ten = bars[0].node();
    const pugi::xml_node minus = bars[1].node();
    CHECK(ten.attribute("height").as_double() == Approx(2 * minus.attribute("height").as_double()).margin(0.02));
    CHECK(ten.attribute("y").as_double() + ten.attribute("height").as_double() ==
          Approx(minus.attribute("y").as_double()).margin(0.02));
    CHECK(std::string(document.child("svg").attribute("aria-label").value()) == "bars & more");
    CHECK_THROWS_AS(to_svg(BarPlot{"x", "", {"a"}, {{"s", {}}}}), Error);
    CHECK_THROWS_AS(to_svg(BarPlot{"x", "", {}, std::vector<BarPlot::Series>(5)}), Error);
    parse_page(to_svg(BarPlot{}));
}

TEST_CASE("points are placed by the logarithm of their values")
{
    // 1, 10, 100 are evenly spaced along both axes, and y grows upwards.
    const ScatterPlot plot{"t", "x", "y", {{1, 100, "p", false}, {10, 10, "q", false}, {100, 1, "r", false}}};
    const pugi::xml_document document = parse_page(to_svg(plot));
    const auto points = document.select_nodes("//circle");
    REQUIRE(points.size() == 3);
    const auto x = [&](std::size_t i) { return points[i].node().attribute("cx").as_double(); };
    const auto y = [&](std::size_t i) { return points[i].node().attribute("cy").as_double(); };
    CHECK(x(1) - x(0) == Approx(x(2) - x(1)).margin(0.2));
    CHECK(y(1) - y(0) == Approx(y(2) - y(1)).margin(0.2));
    CHECK(x(0) < x(1));
    CHECK(y(0) < y(1));
    CHECK(document.select_nodes("//line[@stroke-dasharray]").size() == 1);

    // Where no x equals a y there is no line of equals; and one point alone has a place too.
    const pugi::xml_document apart = parse_page(to_svg(ScatterPlot{"t", "x", "y", {{1, 1e6, "p", true}}}));
    CHECK(apart.select_nodes("//line[@stroke-dasharray]").empty());
    CHECK(apart.select_nodes("//g[@class='marked']").size() == 1);
    parse_page(to_svg(ScatterPlot{"t", "x", "y", {{1e-9, 1e30, "p", true}, {1e12, 2e-5, "q", false}}}));
}
