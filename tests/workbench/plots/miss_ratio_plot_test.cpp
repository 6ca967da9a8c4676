// The miss-ratio plot: places of its steps, what is beyond a limit, and nothing clipped.

#include "base/error.hpp"
#include "workbench/plots/miss_ratio_plot.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope::workbench::plots;

namespace {

MissRatioCurves two_curves()
{
    MissRatioCurves curves;
    curves.source = "a launch";
    curves.device = "a device";
    curves.line = Bytes{64};
    curves.l1_capacity = Bytes{4096};
    curves.curves = {{"A", miss_ratio_curve({{5, 0, 0, 3}, 0, 2})},
                     {"together", miss_ratio_curve({{0, 6}, 10, 4})}};
    return curves;
}

/// Height of a curve at x, where it is a line of steps.
double value_at(const PanelPlot::Curve& curve, double x)
{
    double y = curve.points.front().y;
    for (const PanelPlot::Point& point : curve.points) {
        y = point.x <= x ? point.y : y;
    }
    return y;
}

} // namespace

TEST_CASE("Curves are drawn as steps over the doublings of a line, up to where they are known")
{
    const PanelPlot plot = miss_ratio_plot(two_curves());
    REQUIRE(plot.panels.size() == 1);
    const auto& drawn = plot.panels.front().curves;
    REQUIRE(drawn.size() == 2);
    CHECK(value_at(drawn[0], 0) == Approx(50)); // 1 line: 5 of 10 lookups miss
    CHECK(value_at(drawn[0], 1.99) == Approx(50));
    CHECK(value_at(drawn[0], 2.01) == Approx(20)); // 4 lines: the first touches are left
    CHECK(drawn[0].points.back().x == plot.x_high);
    CHECK(value_at(drawn[1], 0.5) == Approx(100));
    CHECK(value_at(drawn[1], 1) == Approx(70));
    CHECK(drawn[1].points.back().x == 1); // counted up to 2 lines
    CHECK(plot.panels.front().rules == std::vector<double>{6});
    CHECK(plot.rule_label == "L1: 4 KiB");
    CHECK(plot.x_tick_names.front() == "64 B\n1");
    CHECK(plot.x_high > 6);
    CHECK_THROWS_AS(miss_ratio_plot({}), Error);
}

TEST_CASE("A curve of many steps is drawn with few points, none of them far from it")
{
    MissRatioCurves curves = two_curves();
    ReuseDistanceHistogram histogram;
    histogram.counts.assign(200000, 1);
    histogram.first_touches = 1000;
    curves.curves = {{"A", miss_ratio_curve(histogram)}};
    const PanelPlot plot = miss_ratio_plot(curves);
    const PanelPlot::Curve& drawn = plot.panels.front().curves.front();
    CHECK(drawn.points.size() < 3000);
    const double column = plot.x_high / 1200;
    for (const PanelPlot::Point& point : drawn.points) {
        const auto lines = [&](double x) {
            return static_cast<std::int64_t>(std::exp2(std::max(0.0, x)));
        };
        CHECK(point.y <= 100 * curves.curves[0].curve.miss_ratio(
                                   std::max<std::int64_t>(1, lines(point.x - 2 * column))) +
                             1e-9);
        CHECK(point.y >=
              100 * curves.curves[0].curve.miss_ratio(lines(point.x + 2 * column) + 1) - 1e-9);
    }
}

TEST_CASE("The table has a row for every step of every curve")
{
    const std::string csv = to_csv(miss_ratio_table(two_curves()));
    CHECK(csv == "curve,lines,bytes,lookups,misses,miss_ratio\n"
                 "A,0,0,10,10,1\nA,1,64,10,5,0.5\nA,4,256,10,2,0.2\n"
                 "together,0,0,20,20,1\ntogether,2,128,20,14,0.7\n");
}

TEST_CASE("The names of capacities on the axis stay inside of the picture")
{
    MissRatioCurves curves = two_curves();
    curves.source = std::string(300, 'x');
    curves.l1_capacity = Bytes{1 << 20};
    const Drawing drawing = draw(miss_ratio_plot(curves));
    for (const auto& shape : drawing.shapes) {
        if (const auto* text = std::get_if<DrawnText>(&shape); text != nullptr && !text->upright) {
            const double width = 0.62 * text->size * static_cast<double>(text->words.size());
            const double before = text->anchor == DrawnText::Anchor::start    ? 0
                                  : text->anchor == DrawnText::Anchor::middle ? width / 2
                                                                              : width;
            CAPTURE(text->words);
            CHECK(text->at.x - before >= 0);
            CHECK(text->at.x - before + width <= drawing.width);
            CHECK(text->at.y + 0.25 * text->size <= drawing.height);
        }
    }
    for (const auto& [bytes, words] : {std::pair{96, "96 B"},
                                       {1024, "1 KiB"},
                                       {12800, "12.5 KiB"},
                                       {3 * 1024 * 1024 + 512 * 1024, "3.5 MiB"}}) {
        CHECK(capacity_text(Bytes{bytes}) == words);
    }
}
