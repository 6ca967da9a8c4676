#include "base/number_text.hpp"
#include "tests/workbench/report/decode_base64.hpp"
#include "tests/workbench/report/parse_page.hpp"
#include "workbench/plots/heat_map_picture.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/report/report.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>
#include <pugixml.hpp>

#include <algorithm>
#include <limits>
#include <regex>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::report;
using test::decode_base64;
using test::parse_page;

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// All text of an element, its children's included.
std::string text_of(const pugi::xml_node& node)
{
    std::string text = node.value();
    for (const pugi::xml_node child : node.children()) {
        text += text_of(child);
    }
    return text;
}

std::string section_text(const pugi::xml_document& page, const std::string& id)
{
    const pugi::xml_node section = page.select_node(("//section[@id='" + id + "']").c_str()).node();
    CAPTURE(id);
    REQUIRE(section);
    return text_of(section);
}

FitError error_of(double mape, double r2, double worst, std::int64_t samples)
{
    return {mape, r2, worst, samples};
}

StudyImage image_of(const std::string& name, AccessPattern pattern)
{
    StudyImage image;
    image.image = {name, {8, 4}, Bytes{16}, AddressMode::border};
    image.pattern = pattern;
    for (const HeatQuantity quantity : all_heat_quantities) {
        HeatMap map{{8, 4}, std::vector<std::int64_t>(32)};
        map.counts[5] = 1000 + static_cast<std::int64_t>(quantity);
        image.heat.push_back(map);
    }
    image.histogram = {{{{1, 1}, 41, 42}, {{4, 2}, 21, 22}}, 99};
    return image;
}

StudyResult empty_study(const StudyRequest& request)
{
    StudyResult study{{}, {request, {}, {}, {}, {}, {}}, {}, {}};
    study.options = request.device.simulation;
    return study;
}

StudyResult hand_made()
{
    DeviceProfile device;
    device.name = "Test <GPU> & \"co\"";
    device.description = "made by hand";
    device.simulation.machine.timing.clock_mhz = 1000;
    device.values["l1.capacity"] = {"1024", "B", Provenance::measured,
                                    "see https://example.org/a?b=1&c=<2>"};
    StudyResult study =
        empty_study({.op = parse_operator("matmul", "8,8,8"),
                     .schedule = parse_schedule("A=block4,column;T=4x4;W=2x2;G=2x2x1"),
                     .device = device,
                     .seed = 77,
                     .rank = true});
    study.kernel_text = "if (a < b && c > d) { x = \"q\"; }\n";
    study.options.kernel.registers_per_item = 37;

    study.simulation.groups = 3;
    study.simulation.l1 = {.texel_reads = 1234567,
                           .lookups = 4000,
                           .hits = 3000,
                           .compulsory = 700,
                           .capacity = 200,
                           .conflict = 100,
                           .evictions = 55,
                           .bytes_filled = Bytes{65536}};
    study.simulation.behind = {{"L2", {.lookups = 1000, .hits = 877, .compulsory = 123}}};
    study.simulation.memory_bytes = Bytes{7872};
    study.timed = study.simulation;
    study.timed.l1.lookups = 4321;
    study.timed.cycles = Cycles{98765};
    CoreResult core;
    core.stalls.issued = 98000;
    core.stalls.idle = 765;
    study.timed.cores.push_back(core);

    study.images = {image_of("A&B", AccessPattern::block4), image_of("C", AccessPattern::column)};
    study.calibration.thread.shapes = {{1, 1}, {4, 2}};
    study.calibration.thread.beta = {1.5, 2.5, -0.25, 3.5, 133.25};
    study.calibration.thread.training = error_of(0.0123, 0.987, 0.0456, 225);
    study.calibration.thread.held_out = error_of(0.0234, 0.976, 0.0567, 75);
    study.calibration.thrash.d = 1.875;
    study.calibration.thrash.training = error_of(0.111, no_value, 0.222, 30);
    study.calibration.walks = {{study.images[0].histogram, Nanoseconds{120}}, {{}, Nanoseconds{1}}};

    study.prediction.kernel.inputs.resize(2);
    study.prediction.kernel.inputs[0].image = "A&B";
    study.prediction.kernel.inputs[0].pattern = "block4";
    study.prediction.kernel.work_groups = 12;
    study.prediction.literal = {
        {Nanoseconds{1111}, Nanoseconds{222}}, 3, Nanoseconds{3333}, 4, Nanoseconds{13332}};
    study.prediction.refined = {
        {Nanoseconds{1111}}, 3, Nanoseconds{3333}, 7, Nanoseconds{no_value}};
    study.prediction.confidence = 0.625;

    study.ranking = {640, 320, {}};
    study.ranking.best.push_back(
        {parse_schedule("A=row,row;T=1x1;W=4x4;G=4x4x1"), Nanoseconds{5000}});
    study.ranking.best.push_back({study.request.schedule, Nanoseconds{6250}});
    return study;
}

CrosscheckResult hand_made_crosscheck(const StudyResult& study)
{
    CrosscheckResult result;
    result.space = 640;
    const auto add = [&](const Schedule& schedule, double p, double s, std::optional<Nanoseconds> m,
                         bool checked, const std::string& reason) {
        result.rows.push_back({schedule, Nanoseconds{p}, Nanoseconds{s}, m, checked, reason});
    };
    add(study.request.schedule, 100, 200, Nanoseconds{45678}, true, "");
    add(parse_schedule("A=row,column;T=2x2;W=2x2;G=2x2x1"), 300, 250, Nanoseconds{60000}, false,
        "off by <lots>");
    result.rows.back().wall_clock = true;
    add(parse_schedule("A=column,row;T=2x2;W=2x2;G=2x2x1"), 400, no_value, std::nullopt, false,
        "not built");
    result.pairs[0].kendall = 0.8125;
    result.pairs[0].regret = 0.0725;
    result.pairs[2].kendall = -0.4375;
    result.pairs[2].regret = 0.314;
    return result;
}

JudgedConfigurations hand_made_judgement(const StudyResult& study)
{
    JudgedConfigurations judged{hand_made_crosscheck(study), {}};
    KernelFacts facts;
    facts.l1_misses = 2468;
    facts.resident_warps = 12;
    facts.bound_by = "the <texture> unit";
    facts.bound_share = 0.615;
    KernelFacts other = facts;
    other.l1_misses = 1234;
    judged.choices.by_judge = {{Judge::model, 0, 2, 1, 0.0}, {Judge::device, 1, 1, 0, 0.1875}};
    judged.choices.in_use = 0;
    judged.choices.facts = {{0, facts}, {1, other}};
    return judged;
}

/// Each figure of the page is there, and nothing in it is "nan" or "inf" as a word of its own.
void check_sane(const std::string& page)
{
    CHECK_FALSE(std::regex_search(
        page, std::regex(R"((^|[^A-Za-z])-?(nan|inf)([^A-Za-z]|$))", std::regex::icase)));
    // Nothing is loaded: pictures are inline, links stay on the page.
    // The pattern ends before the target: std::regex goes a call deeper with every letter of it.
    const std::regex reference(R"re(\b(src|href|data|action|srcset|poster)\s*=\s*")re");
    for (auto it = std::sregex_iterator(page.begin(), page.end(), reference);
         it != std::sregex_iterator(); ++it) {
        const std::string target(it->suffix().first,
                                 std::find(it->suffix().first, page.end(), '"'));
        CAPTURE(target.substr(0, 60));
        CHECK((target.starts_with("#") || target.starts_with("data:image/png;base64,")));
    }
    CHECK(page.find("url(") == std::string::npos);
    CHECK(page.find("@import") == std::string::npos);
    CHECK(page.find("<script") == std::string::npos);
}

} // namespace

TEST_CASE("the report is well-formed and says what the study found")
{
    const StudyResult study = hand_made();
    const JudgedConfigurations judged = hand_made_judgement(study);
    const std::string page = html_report(study, judged, "pocl <cpu>");
    check_sane(page);
    const pugi::xml_document document = parse_page(page);
    const std::string all = text_of(document);

    const std::string heading = text_of(document.select_node("//header").node());
    CHECK_THAT(heading, Catch::Contains("matmul 8,8,8") && Catch::Contains("Test <GPU> & \"co\"") &&
                            Catch::Contains("pocl <cpu>") && Catch::Contains("seed 77"));
    const std::string own = section_text(document, "configuration");
    CHECK_THAT(own, Catch::Contains(to_string(study.request.schedule)));
    CHECK_THAT(own, Catch::Contains("13.33 \u00B5s")); // predicted
    CHECK_THAT(own, Catch::Contains("98.77 \u00B5s")); // simulated: 98765 cycles at 1 GHz
    CHECK_THAT(own, Catch::Contains("45.68 \u00B5s")); // measured
    CHECK_THAT(own, Catch::Contains("25 %"));          // L1 miss rate

    // What the judges would take comes first.
    CHECK(std::string(document.select_node("//section").node().attribute("id").value()) ==
          "choices");
    const std::string choices = section_text(document, "choices");
    CHECK_THAT(choices, Catch::Contains("the best") && Catch::Contains("18.8 % more") &&
                            Catch::Contains("2 are alike to it") &&
                            Catch::Contains("the <texture> unit decides 61.5 %") &&
                            Catch::Contains("model and simulator 0.81"));
    CHECK(document.select_nodes("//section[@id='choices']//details").size() == 2);
    // Apart from its second: twice and half as many misses. The device's second is the one in use.
    CHECK_THAT(choices, Catch::Contains("L1 misses2,4681,2342") &&
                            Catch::Contains("L1 misses1,2342,4680.5"));

    for (const RankedConfiguration& entry : study.ranking.best) {
        CHECK_THAT(section_text(document, "ranking"), Catch::Contains(to_string(entry.schedule)));
    }
    CHECK_THAT(section_text(document, "ranking"),
               Catch::Contains("6.25 \u00B5s") && Catch::Contains("25 %") &&
                   Catch::Contains("2 of 320") && Catch::Contains("640"));
    CHECK(document.select_nodes("//section[@id='ranking']//tr[@class='this']").size() == 1);
    for (const CrosscheckRow& row : judged.crosscheck.rows) {
        CHECK_THAT(section_text(document, "crosscheck"), Catch::Contains(to_string(row.schedule)));
    }
    CHECK_THAT(section_text(document, "prediction"),
               Catch::Contains("1.111 \u00B5s") && Catch::Contains("222 ns") &&
                   Catch::Contains("3.333 \u00B5s") && Catch::Contains("13.33 \u00B5s") &&
                   Catch::Contains("0.625") && Catch::Contains("D = 1.875"));
    CHECK_THAT(section_text(document, "calibration"),
               Catch::Contains("1.23 %") && Catch::Contains("0.987") && Catch::Contains("2.34 %") &&
                   Catch::Contains("0.976") && Catch::Contains("5.67 %") &&
                   Catch::Contains("D = 1.875"));
    CHECK_THAT(section_text(document, "simulation"),
               Catch::Contains("1,234,567") && Catch::Contains("4,000") &&
                   Catch::Contains("4,321") && Catch::Contains("877") &&
                   Catch::Contains("98,765") && Catch::Contains("64 KiB") &&
                   Catch::Contains("7.688 KiB"));
    CHECK_THAT(section_text(document, "kernel"), Catch::Contains(study.kernel_text));
    const std::string device = section_text(document, "device");
    CHECK_THAT(device, Catch::Contains("see https://example.org/a?b=1&c=<2>") &&
                           Catch::Contains("measured") && Catch::Contains("made by hand") &&
                           Catch::Contains("37 registers"));
    for (const Setting& key : profile_keys()) {
        CHECK_THAT(device, Catch::Contains(key.key));
    }
    CHECK(all.find(std::string(dash)) != std::string::npos);

    // Every link of the navigation has its target, and every target its link.
    const auto links = document.select_nodes("//nav/a");
    CHECK(links.size() == 11);
    CHECK(document.select_nodes("//section").size() == links.size());
    for (const pugi::xpath_node& link : links) {
        section_text(document, std::string(link.node().attribute("href").value()).substr(1));
    }
}

TEST_CASE("the report holds the heat maps themselves")
{
    const StudyResult study = hand_made();
    const pugi::xml_document document = parse_page(html_report(study, std::nullopt, ""));
    const auto pictures = document.select_nodes("//img");
    REQUIRE(pictures.size() == 4); // reads and misses of two images
    const std::string prefix = "data:image/png;base64,";
    const std::string source = pictures[1].node().attribute("src").value();
    REQUIRE(source.starts_with(prefix));
    CHECK(decode_base64(source.substr(prefix.size())) ==
          to_png(heat_map_picture(study.images[0].map(HeatQuantity::misses), "A&B: misses",
                                  ColourScale::logarithmic, 384)));
    CHECK_THAT(section_text(document, "heat-maps"),
               Catch::Contains("1,001") && Catch::Contains("block4"));
}

TEST_CASE("bars show strides, weights and times of every image")
{
    const pugi::xml_document document = parse_page(html_report(hand_made(), std::nullopt, ""));
    const std::string text = section_text(document, "strides");
    // Two images, counts and times, and the weights.
    CHECK(document.select_nodes("//section[@id='strides']//svg").size() == 5);
    CHECK(document.select_nodes("//section[@id='strides']//svg//rect/title").size() == 5 * 4);
    CHECK_THAT(text, Catch::Contains("block 4\u00D72, along y: 22 strides") &&
                         Catch::Contains("block 4\u00D72, along x: -0.25 ns / stride") &&
                         Catch::Contains("22 strides at 3.5 ns = 77 ns") &&
                         Catch::Contains("133.2"));
}

TEST_CASE("scatter plots show the rows that both judges have, and mark those that failed the check")
{
    const StudyResult study = hand_made();
    const pugi::xml_document document =
        parse_page(html_report(study, hand_made_judgement(study), "pocl"));
    const auto plots = document.select_nodes("//section[@id='choices']//svg");
    REQUIRE(plots.size() == 3);
    // the third row was not measured, and its simulation is missing
    const std::vector<std::size_t> rows{2, 2, 2};
    for (std::size_t i = 0; i < plots.size(); ++i) {
        const pugi::xml_node plot = plots[static_cast<std::size_t>(i)].node();
        CHECK(plot.select_nodes(".//circle").size() + plot.select_nodes(".//path[title]").size() ==
              rows[i]);
        CHECK(plot.select_nodes(".//path[title]").size() == 1);
    }
    const std::string text =
        section_text(document, "choices") + section_text(document, "crosscheck");
    CHECK_THAT(text, Catch::Contains("0.81") && Catch::Contains("-0.44") &&
                         Catch::Contains("7.25 %") && Catch::Contains("31.4 %") &&
                         Catch::Contains("off by <lots>") && Catch::Contains("not built"));
    CHECK_THAT(text, Catch::Contains("60 \u00B5s (wall clock)") &&
                         !Catch::Contains("45.68 \u00B5s (wall clock)"));
}

TEST_CASE("a study with nothing in it is still a page")
{
    const StudyResult study = empty_study(hand_made().request);
    const std::string page = html_report(study, JudgedConfigurations{}, "");
    check_sane(page);
    const pugi::xml_document document = parse_page(page);
    CHECK_THAT(section_text(document, "choices"),
               Catch::Contains("no configuration has both values"));
    CHECK(document.select_nodes("//section[@id='ranking']").empty());
    CHECK(parse_page(html_report(study, std::nullopt, ""))
              .select_nodes("//section[@id='crosscheck']")
              .empty());
}
