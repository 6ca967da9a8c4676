#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/experiment.hpp"
#include "experiments/kept_experiment.hpp"
#include "tests/base/temporary_folder.hpp"
#include "workbench/plots/drawing.hpp"
#include "workbench/plots/plot_json.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace texelscope::experiments;
using Catch::Contains;

TEST_CASE("a plot that went through JSON is drawn the same")
{
    PanelPlot plot;
    plot.title = "a \"title\"";
    plot.x_label = "x";
    plot.left_label = "left";
    plot.right_label = "right";
    plot.rule_label = "rule";
    plot.x_low = 0.5;
    plot.x_high = 4.5;
    plot.x_ticks = {1, 2, 3};
    plot.x_tick_names = {"one", "two\nlines", "three"};
    plot.left = PlotAxis{3.5, 0.5};
    plot.left_text = [](double row) {
        return std::round(row) == row ? "row " + std::to_string(int(row)) : "";
    };
    const double none = std::numeric_limits<double>::quiet_NaN();
    plot.panels = {{"first", {{"bars", 2, {{1, 2, "tip"}, {2, none, {}}}}}, {}, {2.5}},
                   {"second",
                    {},
                    {{"curve",
                      1,
                      PanelPlot::Axis::right,
                      {{1, 1, "a", 5}, {2, 3, "b"}},
                      true,
                      false,
                      DrawnMark::Look::cross,
                      false},
                     {"line",
                      0,
                      PanelPlot::Axis::left,
                      {{1, 1, {}}, {4, 3, {}}},
                      false,
                      true,
                      DrawnMark::Look::disc,
                      true}},
                    {}}};
    const auto json = nlohmann::ordered_json::parse(plot_json(plot).dump());
    CHECK(to_svg(draw(plot_from_json(json)), plot.title) == to_svg(draw(plot), plot.title));
    plot.x_log = true;
    plot.columns = 1;
    plot.legend = false;
    plot.left.reset();
    plot.left_text = {};
    CHECK(to_svg(draw(plot_from_json(plot_json(plot))), "") == to_svg(draw(plot), ""));
}

TEST_CASE("the result of an experiment is read back from its file as it was")
{
    const texelscope::test::TemporaryFolder folder;
    for (const char* name : {"fig2", "romou-fig5", "registers"}) {
        CAPTURE(name);
        const Experiment& experiment = find_experiment(name);
        DoneExperiment done{experiment, "adreno-740",
                            experiment.run(find_profile("adreno-740"), {}, {})};
        CHECK(done.result.measured_on.empty());
        done.result.measured_on = experiment.runs_on_devices() ? "a GPU" : "";
        const std::string path = folder.file("result.json");
        texelscope::base::write_file_atomically(path, experiment_file(done));
        const DoneExperiment read = read_experiment_file(path);
        CHECK(read.experiment.name == done.experiment.name);
        CHECK(read.result.measured_on == done.result.measured_on);
        // plot, findings, conditions, tables
        CHECK(html_experiments({read}) == html_experiments({done}));
        CHECK(to_csv(read.result.table) == to_csv(done.result.table));
    }
}

TEST_CASE("a file that is no result of an experiment is refused in one line")
{
    const texelscope::test::TemporaryFolder folder;
    const std::string path = folder.file("result.json");
    const auto refused = [&](const std::string& contents, const char* why) {
        texelscope::base::write_file_atomically(path, contents);
        CHECK_THROWS_WITH(read_experiment_file(path),
                          Contains(path) && Contains(why) && !Contains("\n"));
    };
    refused("", "no JSON");
    refused("[]", "no result of an experiment");
    refused("{}", "schema");
    refused(R"({"schema": "texelscope.experiment/1"})", "another schema");
    refused(R"({"schema": "texelscope.experiment-result/1", "experiment": "fig1", "device": ""})",
            "fig1");
    CHECK_THROWS_WITH(read_experiment_file(folder.file("none.json")), Contains("cannot be read"));
}
