#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/walks/simulated_walks.hpp"
#include "model/walks/walk_design.hpp"
#include "model/walks/walk_file.hpp"
#include "tests/base/temporary_folder.hpp"
#include "workbench/probes/identification_plots.hpp"
#include "workbench/probes/identification_tables.hpp"
#include "workbench/probes/identified.hpp"
#include "workbench/probes/probe_run.hpp"
#include "workbench/probes/saved_walks.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>

using namespace texelscope::workbench::probes;
using Catch::Contains;

namespace {

/// Twenty short walks through a small image of a simulated device.
MeasuredWalks short_walks()
{
    std::mt19937_64 random(1);
    const Extent2D extent{256, 256};
    return measure_simulated(find_profile("adreno-740").simulation, extent, Bytes{16},
                             design_walks(random, {extent, 256}, 20), 0, 1);
}

} // namespace

TEST_CASE("latencies are found beside their walks by the names that saved and shipped ones have")
{
    const texelscope::test::TemporaryFolder folder;
    const MeasuredWalks measured = short_walks();
    const std::string saved = folder.file("saved");
    write_saved_walks(saved, measured, "a test");
    CHECK(latencies_beside(saved + "-walks.csv.gz") == saved + "-latencies.csv");
    std::filesystem::copy(saved + "-latencies.csv", folder.file("shipped-walks-latencies.csv"));
    CHECK(latencies_beside(folder.file("shipped-walks.csv.zst")) ==
          folder.file("shipped-walks-latencies.csv"));
    CHECK(latencies_beside(folder.file("other.csv")).empty());
}

TEST_CASE("the image of walks is guessed as the least square of a power of two")
{
    const auto side = [](std::int32_t x, std::int32_t y) {
        return guessed_image({{0, {{0, 0}, {x, y}}}, {1, {{1, 1}}}}).extent;
    };
    CHECK(side(0, 0) == Extent2D{2, 2});
    CHECK(side(63, 5) == Extent2D{64, 64});
    CHECK(side(5, 64) == Extent2D{128, 128});
    CHECK(parse_walks_image("64x32x8", "here").extent == Extent2D{64, 32});
    CHECK_THROWS_WITH(parse_walks_image("64x32", "here"),
                      Contains("here") && Contains("is not WIDTHxHEIGHTxBYTES"));
}

TEST_CASE("tables and plots of an identification have its numbers")
{
    const texelscope::test::TemporaryFolder folder;
    const MeasuredWalks measured = short_walks();
    const std::string prefix = folder.file("small");
    write_saved_walks(prefix, measured, "a test");
    const Identified found = identify_files(
        {walks_path(prefix), latencies_path(prefix), guessed_image(measured.walks)}, {});
    CHECK_THAT(found.origin, Contains("a test"));
    const Identification& identification = found.rounds.identification;
    const Explanation& best = identification.explanations.front();

    const ResultTable explanations = explanations_table(identification);
    REQUIRE(explanations.rows.size() == identification.explanations.size());
    for (const auto& row : explanations.rows) {
        CHECK(row.size() == explanations.columns.size());
    }
    CHECK(std::get<double>(explanations.rows[0][0]) == Approx(100 * best.fit.mape).margin(0.00051));
    CHECK(alike_table(identification).rows.size() == best.equivalents.size());
    CHECK_THAT(identification_summary(measured, identification), Contains(to_text(best.cache)));

    const std::vector<TexelWalk> next = next_walks(found.rounds, 5, 256, 1, 2);
    REQUIRE(next.size() == 5);
    CHECK(next.front().number == measured.walks.back().number + 1);
    const ResultTable table = next_walks_table(identification, measured, next);
    const std::vector<double> ratios =
        miss_ratios(best.cache, measured.extent, measured.bytes_per_texel, next);
    for (std::size_t i = 0; i < next.size(); ++i) {
        std::set<std::pair<int, int>> texels;
        for (const Texel& texel : next[i].texels) {
            texels.insert({texel.x, texel.y});
        }
        const auto row = std::ranges::find_if(table.rows, [&](const auto& each) {
            return std::get<std::int64_t>(each.front()) == next[i].number;
        });
        REQUIRE(row != table.rows.end());
        CHECK(std::get<std::int64_t>((*row)[1]) == 256);
        CHECK(std::get<std::int64_t>((*row)[2]) == static_cast<std::int64_t>(texels.size()));
        CHECK(std::get<double>((*row)[3]) == Approx(best.latency(ratios[i])).margin(0.051));
        CHECK(std::get<double>((*row)[4]) <= std::get<double>((*row)[3]));
        CHECK(std::get<double>((*row)[5]) >= std::get<double>((*row)[3]));
        CHECK((i == 0 || std::get<double>(table.rows[i - 1].back()) >=
                             std::get<double>(table.rows[i].back())));
    }

    const PanelPlot walks = walks_plot(measured, identification);
    REQUIRE(walks.panels.size() == 1);
    REQUIRE(walks.panels[0].curves.size() == 3);
    std::vector<std::size_t> order(measured.size()); // from the quickest to the slowest
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {},
                             [&](std::size_t walk) { return measured.ns_per_read[walk]; });
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t i = order[place];
        CHECK(walks.panels[0].curves[0].points[place].y == measured.ns_per_read[i]);
        CHECK(walks.panels[0].curves[1].points[place].y == best.predicted[i]);
        CHECK(walks.panels[0].curves[2].points[place].y == identification.held_out_predicted[i]);
    }
    CHECK_FALSE(placed(fit_plot(measured, identification)).points.empty());
}

TEST_CASE("every key that a probe needs is found by one before it, which runs first")
{
    std::set<std::string> found;
    for (const Probe& probe : probes()) {
        for (const std::string& need : probe.needs) {
            CAPTURE(probe.name, need);
            CHECK(found.contains(need));
        }
        found.insert(probe.finds.begin(), probe.finds.end());
    }
    const auto probe = [](const char* name) {
        return &*std::ranges::find(probes(), name, &Probe::name);
    };
    const auto names = [](const std::vector<const Probe*>& list) {
        std::vector<std::string> all;
        for (const Probe* one : list) {
            all.push_back(one->name);
        }
        return all;
    };
    using Names = std::vector<std::string>;
    CHECK(names(with_needed({probe("registers")}, {})) == Names{"warp-size", "registers"});
    CHECK(names(with_needed({probe("registers")}, {{"warp.size", 64}})) == Names{"registers"});
    CHECK(names(with_needed({probe("image-bandwidth"), probe("arithmetic")}, {})) ==
          Names{"arithmetic", "warp-size", "texture-caches", "image-bandwidth"});
    CHECK(with_needed({}, {}).empty());
}

TEST_CASE("a probe that takes too long is ended, and one that nobody wants any more ends the run")
{
    Probe endless;
    endless.name = "endless";
    endless.on_cpu = true;
    endless.run = [](Target&, const Known&, const ProbeOptions& options) -> ProbeResult {
        while (!options.stop()) {
        }
        throw Interrupted();
    };
    struct Nothing : Target {
        TargetInfo about;
        const TargetInfo& info() const override { return about; }
        std::vector<double> chase(const Chase&, int) override { return {}; }
        std::vector<double> walk(const Walk&, int) override { return {}; }
        std::vector<double> run(const ReadKernel&, int) override { return {}; }
        std::vector<double> run(const Arithmetic&, int) override { return {}; }
        std::vector<double> run(const Stream&, int) override { return {}; }
        std::vector<double> run(const StorePattern&, int) override { return {}; }
        std::vector<std::int32_t> arrival_order(const Dim3&) override { return {}; }
        std::vector<double> copy(const Transfer&, int) override { return {}; }
        std::vector<double> launch_overhead(int) override { return {}; }
        Conditions conditions() override { return {}; }
    };
    ProbeRun run;
    run.open = [](const StopToken&) { return std::make_unique<Nothing>(); };
    run.time_limit = 0.01;
    const ProbeRecord record = run_probe(endless, run, {}, {});
    CHECK(record.status == ProbeRecord::Status::failed);
    CHECK_THAT(record.reason, Contains("longer than 0.01 s"));
    run.options.stop = [] { return true; };
    CHECK_THROWS_AS(run_probe(endless, run, {}, {}), Interrupted);
}
