// Drawings: SVG that is well-formed, pictures that show the shapes, plots that clip nothing.

#include "base/error.hpp"
#include "base/random.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"
#include "workbench/plots/panel_plot.hpp"
#include "workbench/plots/result_table.hpp"

#include <catch2/catch.hpp>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

using namespace texelscope;
using namespace texelscope::workbench::plots;

namespace {

Rgb plot_pixel(const Picture& picture, int x, int y)
{
    return picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                          static_cast<std::size_t>(x)];
}

constexpr Rgb white{255, 255, 255};
constexpr Rgb blue{0, 0, 200};

PanelPlot small_plot()
{
    PanelPlot plot;
    plot.title = "a < b & \"c\"";
    plot.x_label = "x";
    plot.left_label = "left";
    plot.right_label = "right";
    plot.x_high = 4;
    plot.x_ticks = {0, 2, 4};
    PanelPlot::Panel panel;
    panel.title = "one";
    panel.bars = {
        {"bars",
         1,
         {{1, 10, "ten"}, {2, 20, "twenty"}, {3, std::numeric_limits<double>::quiet_NaN(), ""}}}};
    panel.curves = {{"curve", 2, PanelPlot::Axis::right, {{0, 1, ""}, {4, 2, ""}}},
                    {"plain", 0, PanelPlot::Axis::left, {{0, 0, ""}, {4, 20, ""}}}};
    panel.rules = {2.5};
    plot.panels = {panel, panel};
    return plot;
}

} // namespace

TEST_CASE("Shapes cover the pixels that they should")
{
    Drawing drawing{20, 10, {}};
    drawing.shapes.emplace_back(DrawnBox{{2, 3}, 4, 2, blue, {}});
    drawing.shapes.emplace_back(DrawnLine{{{10, 0}, {10, 10}}, blue, 2});
    drawing.shapes.emplace_back(DrawnMark{{16, 5}, 2, blue, {}});
    for (const double scale : {1.0, 3.0}) {
        const Picture picture = to_picture(drawing, scale);
        CHECK(picture.width == 20 * scale);
        CHECK(picture.height == 10 * scale);
        const auto at = [&](double x, double y) {
            return plot_pixel(picture, static_cast<int>(x * scale), static_cast<int>(y * scale));
        };
        CHECK(at(3.5, 4.5) == blue);
        CHECK(at(1.5, 4.5) == white);
        CHECK(at(6.5, 4.5) == white);
        CHECK(at(3.5, 5.5) == white);
        CHECK(at(10.4, 5.5) == blue);
        CHECK(at(9.6, 0.5) == blue);
        CHECK(at(12.5, 5.5) == white);
        CHECK(at(16, 5) == blue);
        CHECK(at(19, 5) == white);
    }
}

TEST_CASE("The edges of a box are as dark as it covers them")
{
    Drawing drawing{4, 1, {}};
    drawing.shapes.emplace_back(DrawnBox{{0.75, 0}, 1.5, 1, Rgb{0, 0, 0}, {}});
    const Picture picture = to_picture(drawing, 1);
    CHECK(plot_pixel(picture, 0, 0)[0] == std::lround(255 * 0.75));
    CHECK(plot_pixel(picture, 1, 0)[0] == 0);
    CHECK(plot_pixel(picture, 2, 0)[0] == std::lround(255 * 0.75));
    CHECK(plot_pixel(picture, 3, 0) == white);
}

TEST_CASE("Text is smoothed, as wide as it says, and stands where it should")
{
    const auto picture_of = [](const std::string& words, DrawnText::Anchor anchor) {
        Drawing drawing{200, 40, {}};
        drawing.shapes.emplace_back(DrawnText{{100, 30}, words, anchor, 14, false, Rgb{0, 0, 0}});
        return to_picture(drawing, 2);
    };
    struct Ink {
        int left = 400, right = -1, top = 80, bottom = -1;
        int grey = 0, dark = 0;
    };
    const auto ink_of = [](const Picture& picture) {
        Ink ink;
        for (int y = 0; y < picture.height; ++y) {
            for (int x = 0; x < picture.width; ++x) {
                const Rgb pixel = plot_pixel(picture, x, y);
                if (pixel != white) {
                    ink.left = std::min(ink.left, x);
                    ink.right = std::max(ink.right, x);
                    ink.top = std::min(ink.top, y);
                    ink.bottom = std::max(ink.bottom, y);
                    ++(pixel[0] > 40 && pixel[0] < 215 ? ink.grey : ink.dark);
                }
            }
        }
        return ink;
    };
    const double width = text_width("Time 10", 14);
    CHECK(width == Approx(2 * text_width("Time 10", 7)));
    CHECK(text_width("iiii", 14) < text_width("MMMM", 14)); // not of fixed width
    const Ink start = ink_of(picture_of("Time 10", DrawnText::Anchor::start));
    CHECK(start.grey > 20); // smoothed edges
    CHECK(start.dark > 20);
    CHECK(start.right - start.left == Approx(2 * width).margin(6));
    CHECK(start.left == Approx(200).margin(4));
    CHECK(start.bottom == Approx(59).margin(2)); // on the base line
    // the height of capitals in DejaVu Sans
    CHECK(start.top == Approx(60 - 2 * 0.73 * 14).margin(3));
    CHECK(ink_of(picture_of("Time 10", DrawnText::Anchor::end)).right == Approx(200).margin(4));
    const Ink middle = ink_of(picture_of("Time 10", DrawnText::Anchor::middle));
    CHECK((middle.left + middle.right) / 2 == Approx(200).margin(4));
    // What the font has not is a box, and not nothing.
    CHECK(ink_of(picture_of("\u4e16", DrawnText::Anchor::start)).right > 200);
    CHECK(ink_of(picture_of("\u00b5\u03c4\u03b2\u00d7\u2013", DrawnText::Anchor::start)).grey > 10);
}

TEST_CASE("Upright text is the same text turned to the left")
{
    Drawing drawing{60, 60, {}};
    drawing.shapes.emplace_back(
        DrawnText{{30, 30}, "Lqp1", DrawnText::Anchor::start, 10, false, Rgb{0, 0, 0}});
    Drawing turned{60, 60, {}};
    turned.shapes.emplace_back(
        DrawnText{{30, 30}, "Lqp1", DrawnText::Anchor::start, 10, true, Rgb{0, 0, 0}});
    const Picture flat = to_picture(drawing, 1);
    const Picture upright = to_picture(turned, 1);
    int dots = 0;
    for (int dy = -20; dy < 20; ++dy) {
        for (int dx = -20; dx < 30; ++dx) { // pixel (dx, dy) goes to (dy, -1 - dx)
            const bool dark = plot_pixel(flat, 30 + dx, 30 + dy) != white;
            dots += dark ? 1 : 0;
            REQUIRE(dark == (plot_pixel(upright, 30 + dy, 29 - dx) != white));
        }
    }
    CHECK(dots > 20);
}

TEST_CASE("A plot is drawn as well-formed SVG with every mark and escaped text")
{
    const PanelPlot plot = small_plot();
    const std::string svg = to_svg(draw(plot), plot.title);
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    CHECK(std::string(document.child("svg").child("title").text().get()) == plot.title);
    CHECK(document.select_nodes("//rect[title='ten']").size() == 2); // one in each panel
    const auto bar = [&](const char* about) {
        return document.select_node(("//rect[title='" + std::string(about) + "']").c_str()).node();
    };
    CHECK(bar("twenty").attribute("height").as_double() ==
          Approx(2 * bar("ten").attribute("height").as_double()).margin(0.02));
    CHECK(bar("twenty").attribute("y").as_double() +
              bar("twenty").attribute("height").as_double() ==
          Approx(bar("ten").attribute("y").as_double() + bar("ten").attribute("height").as_double())
              .margin(0.02));
    // two points in each panel, one in the legend
    CHECK(document.select_nodes("//circle").size() == 2 * 2 + 1);
    CHECK(document.select_nodes("//text[.='curve']").size() == 1); // in the legend once
    CHECK(document.select_nodes("//polyline[@stroke-dasharray]").size() == 2);
    CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("Titles of panels and the label below stay within their room")
{
    PanelPlot plot = small_plot();
    plot.panel_width = 90;
    const std::string letter = "\u03B2"; // of two bytes
    for (const int letters : {3, 20, 40, 400}) {
        CAPTURE(letters);
        std::string words;
        for (int i = 0; i < letters; ++i) {
            words += letter;
        }
        plot.panels[0].title = words;
        plot.x_label = words;
        const PlacedPlot drawn = placed(plot);
        int found = 0;
        for (const auto& shape : drawn.drawing.shapes) {
            const auto* text = std::get_if<DrawnText>(&shape);
            if (text == nullptr || !text->words.starts_with(letter)) {
                continue;
            }
            const bool whole = text->words == words;
            const double width = text_width(text->words, text->size);
            const double room = found++ == 0
                                    ? plot.panel_width + 8
                                    : 2 * std::min(text->at.x, drawn.drawing.width - text->at.x);
            CHECK(width <= room);
            CHECK(text->size >= 8);
            CHECK((whole || text->size == 8));
            if (!whole) {
                CHECK(text->words.ends_with("..."));
                CHECK((text->words.size() - 3) % letter.size() == 0); // no half letter
                // no more than has to be is cut
                CHECK(width > room - text_width(letter, 8) - 1);
            }
        }
        CHECK(found == 2);
    }
}

TEST_CASE(
    "On logarithmic axes equal factors are equal distances, and what is not positive is left out")
{
    PanelPlot plot = small_plot();
    plot.x_log = plot.left_log = true;
    plot.x_low = 1;
    plot.x_high = 100;
    plot.x_ticks = {1, 10, 100};
    plot.panels.resize(1);
    plot.panels[0].bars.clear();
    plot.panels[0].curves = {{"curve",
                              1,
                              PanelPlot::Axis::left,
                              {{1, 2, "a"}, {10, 20, "b"}, {100, 200, "c"}, {50, 0, "zero"}}}};
    pugi::xml_document document;
    REQUIRE(document.load_string(to_svg(draw(plot), plot.title).c_str()));
    const auto at = [&](const char* about, const char* side) {
        return document.select_node(("//circle[title='" + std::string(about) + "']").c_str())
            .node()
            .attribute(side)
            .as_double();
    };
    CHECK(at("b", "cx") - at("a", "cx") == Approx(at("c", "cx") - at("b", "cx")).margin(0.02));
    CHECK(at("a", "cy") - at("b", "cy") == Approx(at("b", "cy") - at("c", "cy")).margin(0.02));
    CHECK(at("a", "cy") > at("b", "cy"));
    CHECK(document.select_nodes("//circle[title='zero']").empty());
    for (const char* number : {"1", "10", "100", "1000"}) { // whole decades from 1 to 1000
        CHECK_FALSE(
            document.select_nodes(("//text[.='" + std::string(number) + "']").c_str()).empty());
    }
    plot.x_low = 0;
    CHECK_THROWS_AS(draw(plot), Error);
}

TEST_CASE("A long line that is nearly level is drawn: it has its length times its width of ink")
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 200; ++i) {
        DrawnLine line{{}, {0, 0, 0}, 2, false};
        double length = 0;
        double height = 100; // above the base line at 120, and ever nearer to it
        for (int k = 0; k < 6; ++k) {
            line.through.push_back({20 + 112.0 * k, 120 - height});
            height *= std::pow(static_cast<double>(uniform_below(random, 1000)) / 1000, 3);
        }
        for (std::size_t k = 1; k < line.through.size(); ++k) {
            length += std::hypot(line.through[k].x - line.through[k - 1].x,
                                 line.through[k].y - line.through[k - 1].y);
        }
        const Picture picture = to_picture(Drawing{640, 140, {line}}, 2);
        double ink = 0; // in pixels
        for (const Rgb& pixel : picture.pixels) {
            ink += 1 - pixel[0] / 255.0;
        }
        CHECK(ink == Approx(4 * (2 * length + M_PI)).epsilon(0.01)); // with the round ends
    }
}

TEST_CASE("A plot without panels or without a range is refused")
{
    PanelPlot plot = small_plot();
    plot.x_high = plot.x_low;
    CHECK_THROWS_AS(draw(plot), Error);
    plot = small_plot();
    plot.panels.clear();
    CHECK_THROWS_AS(draw(plot), Error);
    CHECK_THROWS_AS(to_picture(Drawing{0, 10, {}}, 1), Error);
    CHECK_THROWS_AS(to_picture(Drawing{10, 10, {}}, 1e6), Error);
}

TEST_CASE("Discs have the radius of their point, and a curve without a line has none")
{
    PanelPlot plot = small_plot();
    PanelPlot::Curve discs{"discs", 3, PanelPlot::Axis::left, {{1, 5, "", 9}, {2, 6, "", 4}}};
    plot.panels = {{"", {}, {discs}, {}}};
    const auto count = [&](bool line) {
        plot.panels[0].curves[0].line = line;
        int lines = 0;
        int large = 0;
        for (const auto& shape : draw(plot).shapes) {
            const auto* drawn = std::get_if<DrawnLine>(&shape);
            const auto* disc = std::get_if<DrawnMark>(&shape);
            lines += drawn != nullptr && drawn->colour == plot_colour(3) ? 1 : 0;
            large += disc != nullptr && (disc->radius == 9 || disc->radius == 4) ? 1 : 0;
        }
        return std::pair{lines, large};
    };
    CHECK(count(true) == std::pair{2, 2}); // one in the legend
    CHECK(count(false) == std::pair{0, 2});
}

TEST_CASE("A table's words with commas, quotes and line breaks are quoted in CSV")
{
    const ResultTable table{{"word", "count", "number"},
                            {{std::string("plain"), std::int64_t{1}, 0.5},
                             {std::string("a,\"b\""), std::int64_t{2}, 1.0}}};
    CHECK(to_csv(table) == "word,count,number\nplain,1,0.5\n\"a,\"\"b\"\"\",2,1\n");
}
