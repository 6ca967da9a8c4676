#include "codegen/nest/loop_nest.hpp"
#include "gui/plots/cache_panel.hpp"
#include "gui/plots/launch_plots.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/study/session.hpp"
#include "sim/reuse/reuse_distance.hpp"
#include "tests/gui/small_study.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QSignalSpy>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("the miss ratios are those of the launch's reuse distances")
{
    const auto study = test::small_study();
    const MissRatioCurves curves = launch_miss_ratios(*study);
    const auto source = make_trace_source(launch_of(study->nest));
    const ReuseDistances distances = reuse_distances(*source, study->options);
    REQUIRE(curves.curves.size() == 3);
    CHECK(curves.curves[0].name == "A");
    CHECK(curves.curves[0].curve == miss_ratio_curve(distances.images[0]));
    CHECK(curves.curves[2].curve == miss_ratio_curve(distances.together));
    CHECK(curves.curves[2].curve.lookups == study->simulation.l1.lookups);
    CHECK(curves.l1_capacity == study->options.machine.l1().geometry.capacity);
    CHECK_THROWS_AS(launch_miss_ratios(*study, [] { return true; }), Interrupted);
}

TEST_CASE("resident warps and stalls are those of the timed simulation")
{
    const auto study = test::small_study();
    const auto warps = resident_warps_plot(*study);
    REQUIRE(warps);
    CHECK(warps->x_high == static_cast<double>(study->timed.cycles->value));
    const auto& points = warps->panels[0].curves[0].points;
    double area = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        area += (points[i].x - points[i - 1].x) * points[i - 1].y;
    }
    const bool is_a_core = std::any_of(
        study->timed.cores.begin(), study->timed.cores.end(), [&](const CoreResult& core) {
            return core.cycles == *study->timed.cycles &&
                   static_cast<double>(core.occupancy_over_time.warp_cycles) == Approx(area);
        });
    CHECK(is_a_core);
    CHECK(warps->panels[0].curves[1].points[0].y == study->timed.occupancy.warps);

    const auto stalls = stalls_plot(*study);
    REQUIRE(stalls);
    StallStatistics sum;
    for (const CoreResult& core : study->timed.cores) {
        sum += core.stalls;
    }
    double percent = 0;
    for (const PanelPlot::Point& point : stalls->panels[0].bars[0].points) {
        percent += point.y;
    }
    CHECK(percent == Approx(100));
    CHECK(stalls->panels[0].bars[0].points[1].y ==
          Approx(100.0 * static_cast<double>(sum.waiting_for_data) /
                 static_cast<double>(sum.total())));
}

TEST_CASE("the starts of occupancy groups are marked where each shows as a rise")
{
    StudyResult study = *test::small_study();
    CoreResult core;
    core.cycles = Cycles{40};
    core.occupancy_groups = 2;
    core.occupancy_over_time = {{{0, 1}, {1, 4}, {10, 2}, {20, 4}, {30, 1}, {40, 0}}, 0};
    study.timed.cores = {core};
    CHECK(resident_warps_plot(study)->panels[0].rules == std::vector<double>{20});
    study.timed.cores[0].occupancy_groups = 3; // one of them has none
    CHECK(resident_warps_plot(study)->panels[0].rules.empty());
    study.timed.cores.clear();
    CHECK_FALSE(resident_warps_plot(study));
    CHECK_FALSE(stalls_plot(study));
}

TEST_CASE("the cache panel counts misses once it is seen")
{
    Session session;
    CachePanel panel(session);
    QSignalSpy shown(&panel, &CachePanel::miss_ratios_shown);
    auto* view = panel.findChild<PlotView*>("miss_ratio_plot");
    REQUIRE(view != nullptr);
    panel.show_study(test::small_study());
    CHECK(panel.findChild<PlotView*>("warps_plot")->canvas().plot());
    CHECK(panel.findChild<PlotView*>("stalls_plot")->canvas().plot());
    CHECK_FALSE(view->canvas().plot());
    panel.show();
    REQUIRE(test::wait_until([&] { return shown.count() == 1; }));
    REQUIRE(view->canvas().plot());
    CHECK(view->canvas().plot()->rule_label.starts_with("L1: "));
    panel.show_study(test::small_study());
    panel.show_study(test::small_study()); // takes the place of the one before
    REQUIRE(test::wait_until([&] { return shown.count() == 2; }));
    QCoreApplication::processEvents();
    CHECK(shown.count() == 2);

    StudyResult dynamic = *test::small_study();
    dynamic.options.machine.dispatch = Dispatch::dynamic;
    panel.show_study(std::make_shared<const StudyResult>(dynamic));
    REQUIRE(test::wait_until([&] { return shown.count() == 3; }));
    CHECK_FALSE(view->canvas().plot());
}
