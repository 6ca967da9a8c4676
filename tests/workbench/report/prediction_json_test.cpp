// What is said of a prediction: its JSON and its tables.

#include "workbench/report/html_tables.hpp"
#include "workbench/report/prediction_json.hpp"
#include "workbench/report/prediction_tables.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace texelscope::workbench::report;

namespace {

PredictedStudy predicted(ModelVariant variant)
{
    const DeviceProfile device = find_profile("adreno-750");
    return predict_study({parse_operator("matmul", "64,64,64"),
                          parse_schedule("A=row,column;T=4x4;G=8x8x1"), device},
                         calibrate_profile(device, 1), {variant, {}});
}

} // namespace

TEST_CASE("A prediction by the bottleneck variant says what bounds the kernel")
{
    const PredictedStudy study = predicted(ModelVariant::bottleneck);
    const ordered_json json = prediction_json(study);
    REQUIRE(json["bounds"].size() == 9); // with one level behind L1, and the launch
    double ns = 0;
    double shares = 0;
    double most = 0;
    std::string largest;
    for (const ordered_json& bound : json["bounds"]) {
        ns += bound["ns"].get<double>();
        shares += bound["share"].get<double>();
        CHECK(bound["ns"] == Approx(bound["share"].get<double>() * json["ns"].get<double>()));
        if (bound["ns"] > most) {
            most = bound["ns"];
            largest = bound["bound"];
        }
    }
    CHECK(ns == Approx(json["ns"].get<double>()));
    CHECK(json["ns"] == json["bottleneck_ns"]);
    CHECK(shares == Approx(1));
    CHECK(json["bound_by"] == largest);
    CHECK(json["bounds"][0]["bound"] == "the latency of a single warp");
    CHECK(json["bounds"][8]["bound"] == "the launch");
}

TEST_CASE("What bounds the kernel is not said of the variants that do not know it")
{
    const PredictedStudy study = predicted(ModelVariant::literal);
    const ordered_json json = prediction_json(study);
    CHECK(json["bound_by"].is_null());
    CHECK(json["bounds"].is_null());
    CHECK(json["ns"] == json["literal_ns"]);
    CHECK(json["intervals"]["bottleneck"].is_null());
    CHECK(json["interval"] == json["intervals"]["literal"]);
    CHECK(json["interval"]["level"] == 0.9);
}

TEST_CASE("The inputs' table has the thread times of the study's variant")
{
    const PredictedStudy study = predicted(ModelVariant::refined);
    const ResultTable table = inputs_table(study);
    const ordered_json json = prediction_json(study);
    REQUIRE(table.rows.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(std::get<std::string>(table.rows[i][0]) == json["inputs"][i]["image"]);
        CHECK(std::get<double>(table.rows[i][5]) == study.prediction.refined.thread[i].value);
        CHECK(json["inputs"][i]["L_t"] == study.prediction.refined.thread[i].value);
    }
}

TEST_CASE("A page shows times, bytes and shares in units, and a dash for no value")
{
    const ResultTable table{{"<name>", "L_t_ns", "bytes filled", "share", "reads"},
                            {{"a&b", 1500.0, std::int64_t{2048}, 0.25, std::int64_t{12345}},
                             {"", 2.0, std::int64_t{1}, "", std::int64_t{0}}}};
    const HtmlTable html = html_table(table);
    CHECK(html.columns[0].heading == "&lt;name&gt;");
    CHECK_FALSE(html.columns[0].number);
    CHECK(html.columns[1].heading == "L_t");
    CHECK(html.columns[3].number);
    CHECK(html.rows[0] ==
          std::vector<std::string>{"a&amp;b", "1.5 \u00B5s", "2 KiB", "25 %", "12,345"});
    CHECK(html.rows[1][0] == "\u2013");
    CHECK(html.rows[1][3] == "\u2013");
}
