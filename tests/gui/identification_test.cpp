#include "base/error.hpp"
#include "gui/identification/identification_panel.hpp"
#include "gui/plots/plot_export.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/widgets/result_table_model.hpp"
#include "model/walks/simulated_walks.hpp"
#include "model/walks/walk_design.hpp"
#include "model/walks/walk_file.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/probes/identification_plots.hpp"
#include "workbench/probes/identification_tables.hpp"
#include "workbench/probes/identified.hpp"
#include "workbench/probes/saved_walks.hpp"

#include <catch2/catch.hpp>

#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTemporaryDir>
#include <random>

using namespace texelscope;
using namespace texelscope::gui;
using Catch::Contains;

namespace {

/// Twenty short walks through a small image of a simulated device, in files that begin with the
/// prefix.
MeasuredWalks write_small_walks(const std::string& prefix)
{
    std::mt19937_64 random(1);
    const Extent2D extent{256, 256};
    const std::vector<TexelWalk> walks = design_walks(random, {extent, 256}, 20);
    const MeasuredWalks measured =
        measure_simulated(find_profile("adreno-740").simulation, extent, Bytes{16}, walks, 0, 1);
    write_saved_walks(prefix, measured, "a test");
    return measured;
}

std::string note(test::PanelFixture<IdentificationPanel>& f)
{
    return f.find<QLabel>("identification_note").text().toStdString();
}

} // namespace

TEST_CASE("walks of a file are identified in the window as by the library")
{
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("small").toStdString();
    write_small_walks(prefix);
    test::PanelFixture<IdentificationPanel> f({1080, 700});
    f.find<QLineEdit>("identification_image").setText("256x256x16");
    f.panel.open(walks_path(prefix), {}); // the latencies are those beside
    REQUIRE(f.wait_for_end(1));
    CHECK(note(f).empty());

    const Identified expected = identify_files(
        {walks_path(prefix), latencies_path(prefix), parse_walks_image("256x256x16", "")}, {});
    const auto& [measured, identification] = expected.rounds;
    CHECK(to_csv(f.find<ResultTableView>("identification_candidates").table()) ==
          to_csv(explanations_table(identification)));
    CHECK(to_csv(f.find<ResultTableView>("identification_open").table()) ==
          to_csv(support_table(identification)));
    CHECK(to_csv(f.find<ResultTableView>("identification_alike").table()) ==
          to_csv(alike_table(identification)));
    const auto plot = f.find<PlotView>("walks_plot").canvas().plot();
    REQUIRE(plot);
    CHECK(plot_csv(*plot) == plot_csv(walks_plot(measured, identification)));
    CHECK(
        f.find<QLabel>("identification_summary")
            .text()
            .contains(QString::fromStdString(to_text(identification.explanations.front().cache))));

    const std::string next = folder.filePath("next.csv.gz").toStdString();
    f.panel.findChild<IdentificationView*>()->write_next(next);
    const std::vector<TexelWalk> walks = read_walks(next);
    CHECK(walks ==
          next_walks(expected.rounds, 20, 256, IdentifyOptions().seed, IdentifyOptions().threads));
    CHECK(f.find<ResultTableView>("identification_next").table().rows.size() == walks.size());

    // Cancelled, the result stays.
    const auto before = f.panel.findChild<IdentificationView*>()->identified();
    f.click("identification_measure");
    CHECK(f.session.jobs().cancel_latest()); // as Esc does
    REQUIRE(f.wait_for_end(2));
    CHECK(note(f) == "Cancelled.");
    CHECK(f.panel.findChild<IdentificationView*>()->identified() == before);
}

TEST_CASE("files of walks that are wrong are one line")
{
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("small").toStdString();
    write_small_walks(prefix);
    test::PanelFixture<IdentificationPanel> f({1080, 700});
    qsizetype ends = 0;
    const auto refused = [&](const std::string& walks, const std::string& latencies,
                             const char* image, const char* line) {
        f.find<QLineEdit>("identification_image").setText(image);
        f.panel.open(walks, latencies);
        REQUIRE(f.wait_for_end(++ends));
        CHECK_THAT(note(f), Contains(line));
        CHECK_THAT(note(f), !Contains("\n"));
        CHECK(f.find<QLabel>("identification_note").isVisible());
        CHECK(f.panel.findChild<IdentificationView*>()->identified() == nullptr);
    };
    refused(walks_path(prefix), {}, "256", "is not WIDTHxHEIGHTxBYTES");
    refused(walks_path(prefix), {}, "8x8x16", "walk");
    refused(latencies_path(prefix), latencies_path(prefix), "", "small-latencies.csv");
    refused(folder.filePath("none.csv").toStdString(), {}, "", "no latencies beside");
    CHECK_THROWS_WITH(f.panel.findChild<IdentificationView*>()->write_next(
                          folder.filePath("x.csv").toStdString()),
                      Contains("there are no walks"));
}

TEST_CASE("a simulated device is measured and identified in the window")
{
    test::PanelFixture<IdentificationPanel> f({1080, 700});
    f.find<QLineEdit>("identification_image").setText("128x128x16");
    f.find<QSpinBox>("identification_walks").setValue(20);
    f.click("identification_measure");
    CHECK(f.panel.running());
    REQUIRE(f.wait_for_end(1));
    const auto identified = f.panel.findChild<IdentificationView*>()->identified();
    REQUIRE(identified != nullptr);
    REQUIRE(identified->identified.simulated);
    CHECK(identified->identified.rounds.measured.extent == Extent2D{128, 128});
    const std::string found = identified->identified.simulated->found ? "found" : "not found";
    CHECK_THAT(f.find<QLabel>("identification_summary").text().toStdString(),
               Contains("the simulated device has") && Contains(found));
}
