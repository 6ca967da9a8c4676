#include "codegen/nest/loop_nest.hpp"
#include "gui/plots/roofline_panel.hpp"
#include "gui/study/session.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QSignalSpy>
#include <QTest>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("configurations lie at their operations a number and their speed")
{
    const auto study = test::small_study();
    const StudyRoofline data = study_roofline(*study);
    const Operator& op = study->request.op;
    REQUIRE(data.ranked.size() == study->ranking.best.size());
    for (std::size_t i = 0; i < data.ranked.size(); ++i) {
        const RankedConfiguration& ranked = study->ranking.best[i];
        CHECK(data.ranked[i].schedule == ranked.schedule);
        CHECK(data.ranked[i].gflops == Approx(op.flops / ranked.cost.value));
        CHECK(data.ranked[i].intensity ==
              Approx(operations_per_number(loop_nest(op, ranked.schedule))));
    }
    REQUIRE(data.own);
    CHECK(data.own->time.value == study->timed.time(study->options.machine)->value);
    const SimulationOptions& device = study->request.device.simulation;
    CHECK(data.roofs.peak_gflops ==
          Approx(2 * *device.machine.timing.alu_lanes * device.machine.cores *
                 device.machine.timing.clock_mhz / 1000));
    CHECK(data.roofs.bytes_per_number == 4);
    CHECK_THROWS_AS(study_roofline(*study, [] { return true; }), Interrupted);
    CHECK_FALSE(roofline_plot({}));
}

TEST_CASE("a click on a point of the roofline chooses its configuration")
{
    Session session;
    RooflinePanel panel(session);
    QSignalSpy shown(&panel, &RooflinePanel::roofline_shown);
    panel.resize(800, 400);
    panel.show();
    const auto study = test::small_study();
    panel.show_study(study);
    REQUIRE(test::wait_until([&] { return shown.count() == 1; }));
    std::vector<Schedule> chosen;
    QObject::connect(&session, &Session::configuration_proposed, &panel,
                     [&](const Schedule& schedule) { chosen.push_back(schedule); });
    const auto click = [&](const std::string& curve) {
        const auto& points = panel.canvas().points();
        const auto point =
            std::find_if(points.begin(), points.end(),
                         [&](const PlacedPoint& placed) { return placed.curve == curve; });
        REQUIRE(point != points.end());
        QTest::mouseClick(&panel.canvas(), Qt::LeftButton, {},
                          panel.canvas().to_widget(point->at).toPoint());
    };
    SelectedConfigurations& selection = session.selection();
    const auto selected_points = [&] {
        const auto& points = panel.canvas().points();
        return std::count_if(points.begin(), points.end(), [](const PlacedPoint& placed) {
            return placed.curve == selected_curve;
        });
    };
    CHECK(selected_points() == 0);
    selection.set({study->ranking.best[3].schedule, study->ranking.best[5].schedule});
    CHECK(selected_points() == 2);
    click(selected_curve);
    REQUIRE(chosen.size() == 1);
    CHECK(selection.schedules() == chosen);
    CHECK(selected_points() == 1);
    chosen.clear();
    click(own_curve);
    REQUIRE(chosen.size() == 1);
    CHECK(chosen[0] == study->request.schedule);
    const auto of_b = [&] {
        const auto& points = panel.canvas().points();
        return std::count_if(points.begin(), points.end(),
                             [](const PlacedPoint& placed) { return placed.curve == other_curve; });
    };
    CHECK(of_b() == 0);
    auto slower = std::make_shared<StudyResult>(*study);
    slower->timed.cycles = Cycles{study->timed.cycles->value * 2};
    panel.compare(slower);
    CHECK(of_b() == 1);
    const Machine& machine = study->options.machine;
    const double times =
        *slower->timed.time(machine) / *study->timed.time(machine); // 2 but for the launch
    CHECK(simulated_point(*slower)->gflops == Approx(simulated_point(*study)->gflops / times));
    panel.compare(nullptr);
    CHECK(of_b() == 0);
    click(ranked_curve);
    REQUIRE(chosen.size() == 2);
    CHECK(selection.schedules() == std::vector<Schedule>{chosen[1]});
    const bool ranked =
        std::any_of(study->ranking.best.begin(), study->ranking.best.end(),
                    [&](const RankedConfiguration& one) { return one.schedule == chosen[1]; });
    CHECK(ranked);
}
