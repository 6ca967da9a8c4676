#include "experiments/tmmodel/model_accuracy.hpp"
#include "workbench/study/prediction.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

using namespace texelscope::experiments;

namespace {

AccuracyCase with_ratios(std::array<double, chooser_count> ratio)
{
    return {parse_operator("matmul", "8,8,8"), 100,  10,
            "A=row,row;T=1x1;W=8x8;G=8x8x1",   1000, ratio};
}

} // namespace

TEST_CASE("Findings on the choices of models follow from the data")
{
    // The literal model is right in half of the cases, the shortlist always.
    const auto findings =
        accuracy_findings({with_ratios({2, 1, 1, 2, 1, 1, 1, 1, 1, 1}),
                           with_ratios({2, 2, 1.5, 2, 2, 1.4, 1.3, 1.005, 1.002, 1}),
                           with_ratios({2, 2, 1.01, 2, 1, 1, 1, 1, 1, 1}),
                           with_ratios({2, 2, 1.02, 1, 2, 1, 1, 1, 1, 1})});
    REQUIRE(findings.size() == 6);
    CHECK(findings[0].verdict == Verdict::does_not_hold);
    CHECK_THAT(findings[0].ours,
               Catch::Contains("literal 50 %") && Catch::Contains("shortlist 100 %"));
    CHECK(findings[1].verdict == Verdict::does_not_hold); // 1.5 is more than 1 / 0.838
    CHECK_THAT(findings[1].ours, Catch::Contains("literal 1.500"));
    CHECK(findings[2].verdict == Verdict::holds);
    CHECK(findings[3].verdict == Verdict::holds); // literal by levels: 0, 25, 50 %
    CHECK(findings[4].verdict == Verdict::holds); // refined: 25, 50, 75 %
    CHECK(findings[5].verdict == Verdict::holds);
}

TEST_CASE("The plot of the choices has a bar for each chooser and a disc for each operator")
{
    const std::vector<AccuracyCase> cases{with_ratios({1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
                                          with_ratios({1.5, 1.4, 1.3, 1.2, 1.1, 1, 1, 1, 1, 1})};
    const PanelPlot plot = accuracy_plot(cases, {find_profile("adreno-740")});
    REQUIRE(plot.panels.size() == 1);
    REQUIRE(plot.panels[0].bars.size() == 1);
    CHECK(plot.panels[0].bars[0].points.size() == chooser_count);
    CHECK(plot.panels[0].bars[0].points[0].y == Approx(std::sqrt(1.5)));
    CHECK(plot.panels[0].curves.size() == chooser_count * cases.size());
    const Drawing drawing = draw(plot);
    for (const auto& shape : drawing.shapes) {
        if (const auto* disc = std::get_if<DrawnMark>(&shape)) {
            CHECK((disc->centre.x > 0 && disc->centre.x < drawing.width));
            CHECK((disc->centre.y > 0 && disc->centre.y < drawing.height));
        }
    }
}

TEST_CASE("No choice is faster than the best", "[long]")
{
    const DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator("layernorm", "64,64");
    const AccuracyCase found = measure_accuracy(op, {device}, calibrate_profile(device, 1));
    CHECK(found.tried <= found.space);
    CHECK(found.best_ns > 0);
    for (const double ratio : found.ratio) {
        CHECK(ratio >= 1 - 1e-12); // geometric means are rounded
    }
    CHECK(found.ratio[8] <= 1.01); // the shortlist is a third of this space
    CHECK(found.ratio[9] <= 1.001);
}

TEST_CASE("All nine operators of the paper's table 3 take part")
{
    std::vector<std::string> names;
    for (const Operator& op : accuracy_operators()) {
        names.push_back(op.name);
    }
    for (const char* name :
         {"matmul", "conv2d", "deconv2d", "conv3d", "dwconv2d", "softmax", "layernorm"}) {
        CHECK(std::count(names.begin(), names.end(), name) > 0);
    }
}
