#include "gui/ranking/ranking_times.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("simulated times are those of the timed simulation, in the order asked for")
{
    const auto study = test::small_study();
    const StudyRequest& request = study->request;
    const ConfigurationSpace space = configuration_space(request.op, request.device);
    const std::vector<std::int64_t> indices{7, 1000, 3};
    TimeInbox inbox;
    const RowCount count = simulate_times(request.op, request.device, space, indices, inbox);
    CHECK(count.done == 3);
    CHECK(count.error.empty());
    const auto times = inbox.take();
    CHECK(inbox.take().empty());
    REQUIRE(times.size() == 3);
    for (std::size_t i = 0; i < times.size(); ++i) {
        CHECK(times[i].first == indices[i]);
        StudyRequest one = request; // the whole chain, which simulates the whole launch
        one.schedule = space.at(indices[i]);
        one.rank = false;
        one.calibration = study->calibration;
        const StudyResult whole = run_study(one);
        CHECK(times[i].second == Approx(whole.timed.time(whole.options.machine)->value));
    }

    int asked = 0;
    const RowCount stopped = simulate_times(request.op, request.device, space, indices, inbox, {},
                                            [&] { return ++asked > 1; });
    CHECK(stopped.stopped);
    CHECK(stopped.done < 3);
    CHECK(inbox.take().size() == stopped.done);
}

TEST_CASE("a store's times are those of the operator and shape that a device measured")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    const std::string config = "A=row,column;T=4x4;W=8x8;G=8x8x1";
    const std::string other = "A=row,row;T=4x4;W=8x8;G=8x8x1";
    const auto row = [](const std::string& shape, const std::string& device,
                        const std::string& text, const std::string& judge,
                        const std::string& status, const std::string& time, double ns) {
        StoreRow result;
        result.op = "matmul";
        result.shape = shape;
        result.device = device;
        result.config = text;
        result.judge = judge;
        result.status = status;
        result.timestamp = time;
        result.median_ns = ns;
        return result;
    };
    StoreTable table;
    table.rows = {row("64,64,64", "a", config, "device", "ok", "2026-01-02", 10),
                  row("64,64,64", "a", config, "device", "ok", "2026-01-01", 20), // older
                  row("64,64,64", "a", other, "device", "ok", "", 30),
                  row("64,64,64", "b", config, "device", "ok", "", 40),
                  row("64,64,64", "a", "no configuration", "device", "ok", "", 50),
                  row("64,64,64", "a", other, "device", "failed", "", 0),
                  row("64,64,64", "a", other, "simulator", "ok", "", 60),
                  row("32,64,64", "c", config, "device", "ok", "", 70)};
    const StoredTimes times = stored_times(table, op);
    CHECK(times.others == 3);
    REQUIRE(times.by_device.size() == 2);
    CHECK(times.by_device.at("a") ==
          StoredTimes::Times{{parse_schedule(config), 10.0}, {parse_schedule(other), 30.0}});
    CHECK(times.by_device.at("b") == StoredTimes::Times{{parse_schedule(config), 40.0}});
    CHECK(device_with_most_times(times) == "a");
    CHECK(device_with_most_times({}) == "");
}
