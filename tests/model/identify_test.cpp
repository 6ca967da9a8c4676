#include "base/error.hpp"
#include "model/identification/identify.hpp"
#include "model/identification/identify_evaluate.hpp"
#include "model/identification/identify_structures.hpp"
#include "model/identification/propose_walks.hpp"
#include "model/walks/archprobe_table.hpp"
#include "model/walks/simulated_walks.hpp"
#include "model/walks/walk_design.hpp"
#include "sim/layout/named_layouts.hpp"
#include "sim/layout/texel_layout.hpp"
#include "sim/simulate.hpp"
#include "traces/formats/trace_rows.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <sstream>

using namespace texelscope::model;

namespace {

SimulationOptions small_texture_unit()
{
    SimulationOptions device;
    device.machine.layout = parse_layout("4x4:morton,row");
    device.machine.l1().geometry = {.capacity = Bytes{2048}, .line = Bytes{64}, .ways = 4};
    return device;
}

MeasuredWalks measured_on(const SimulationOptions& device, std::size_t walks, std::int64_t steps,
                          double noise = 0)
{
    std::mt19937_64 random(3);
    const Extent2D extent{256, 256};
    return measure_simulated(device, extent, Bytes{16},
                             design_walks(random, {.extent = extent, .steps = steps}, walks), noise,
                             11);
}

} // namespace

TEST_CASE("walks on a simulated device cost a hit for each read and more for each miss")
{
    const SimulationOptions device = small_texture_unit();
    const MeasuredWalks measured = measured_on(device, 24, 300);
    const std::vector<double> ratios =
        miss_ratios({device.machine.layout, device.machine.l1().geometry}, measured.extent,
                    measured.bytes_per_texel, measured.walks);
    // Against the untimed simulator's own count, read by read.
    for (std::size_t i = 0; i < measured.size(); ++i) {
        std::vector<TraceRow> rows;
        for (const Texel texel : measured.walks[i].texels) {
            rows.push_back({.step = static_cast<std::uint32_t>(rows.size()), .texel = texel});
        }
        const auto source =
            make_trace_source("walk", {{.name = "A", .extent = measured.extent}}, rows);
        SimulationOptions untimed = device;
        untimed.machine.cores = 1;
        const SimulationResult result = simulate(*source, untimed);
        CHECK(ratios[i] * 300 == Approx(static_cast<double>(result.l1.misses())));
    }
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        all.push_back(i);
    }
    const LatencyLine line = fit_latency(ratios, measured.ns_per_read, all);
    CHECK(mean_relative_error(line, ratios, measured.ns_per_read, all) < 1e-9);
    CHECK(line.miss > 0);
}

TEST_CASE("ways to try have at most four significant bits")
{
    std::vector<std::int64_t> expected;
    for (std::int64_t ways = 1; ways <= 300; ++ways) {
        std::int64_t odd = ways;
        while (odd >= 16 && odd % 2 == 0) {
            odd /= 2;
        }
        if (odd < 16) {
            expected.push_back(ways);
        }
    }
    CHECK(ways_to_try(300) == expected);
}

TEST_CASE("every walk is held out once")
{
    const Folds folds = make_folds(23, 5, 9);
    REQUIRE(folds.trainings.size() == 6);
    CHECK(folds.trainings[0].size() == 23);
    std::vector<int> held_out(23, 0);
    for (std::size_t fold = 1; fold < 6; ++fold) {
        CHECK((folds.trainings[fold].size() == 18 || folds.trainings[fold].size() == 19));
        for (std::size_t walk = 0; walk < 23; ++walk) {
            const auto& training = folds.trainings[fold];
            held_out[walk] += std::count(training.begin(), training.end(), walk) == 0 ? 1 : 0;
        }
    }
    CHECK(held_out == std::vector<int>(23, 1));
}

TEST_CASE("candidate layouts differ from each other and hold the published ones")
{
    const Extent2D extent{128, 96};
    const std::vector<LayoutSpec> layouts =
        layout_candidates(extent, Bytes{16}, std::vector{parse_layout("3x5:row,row")});
    std::set<std::string> texts;
    for (const LayoutSpec& spec : layouts) {
        CHECK(texts.insert(to_string(spec)).second);
    }
    CHECK(texts.count("3x5:row,row") == 1);
    for (const NamedLayoutInfo& info : named_layouts()) {
        const bool known = info.texel_bytes.empty() ||
                           std::count(info.texel_bytes.begin(), info.texel_bytes.end(), 16) > 0;
        CHECK(texts.count(info.name) == (known ? 1U : 0U));
    }
    // Generic ones: no two put all texels at the same offsets.
    std::set<std::vector<std::int64_t>> offsets;
    std::size_t generic = 0;
    for (const LayoutSpec& spec : layouts) {
        if (std::holds_alternative<NamedLayout>(spec)) {
            continue;
        }
        const TexelLayout layout(spec, extent, Bytes{16});
        std::vector<std::int64_t> all;
        for (std::int32_t y = 0; y < extent.height; ++y) {
            for (std::int32_t x = 0; x < extent.width; ++x) {
                all.push_back(layout.offset({x, y}));
            }
        }
        ++generic;
        CAPTURE(to_string(spec));
        CHECK(offsets.insert(all).second);
    }
    CHECK(generic > 40);
}

TEST_CASE("designed walks stay in the image, whatever its size")
{
    const std::uint64_t seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{21}));
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Extent2D extent{static_cast<std::int32_t>(1 + random() % 300),
                          static_cast<std::int32_t>(1 + random() % 300)};
    const std::vector<TexelWalk> walks =
        design_walks(random, {.extent = extent, .steps = 200}, 12, 40);
    REQUIRE(walks.size() == 12);
    for (std::size_t i = 0; i < walks.size(); ++i) {
        CHECK(walks[i].number == 40 + static_cast<std::int64_t>(i));
        CHECK(walks[i].texels.size() == 200);
        CHECK(std::all_of(walks[i].texels.begin(), walks[i].texels.end(),
                          [&](Texel t) { return extent.contains(t); }));
    }
}

TEST_CASE("a lattice is walked in its order")
{
    std::mt19937_64 random(1);
    Lattice lattice{{1, 2}, 2, 3, 4, 8, Lattice::Order::rows_first};
    const std::vector<Texel> rows{{1, 2}, {5, 2}, {1, 10}, {5, 10}, {1, 18}, {5, 18}, {1, 2}};
    CHECK(lattice_walk(random, lattice, 7) == rows);
    lattice.order = Lattice::Order::columns_first;
    const std::vector<Texel> columns{{1, 2}, {1, 10}, {1, 18}, {5, 2}, {5, 10}, {5, 18}, {1, 2}};
    CHECK(lattice_walk(random, lattice, 7) == columns);
    lattice.order = Lattice::Order::random;
    std::set<Texel> seen;
    for (const Texel t : lattice_walk(random, lattice, 200)) {
        seen.insert(t);
    }
    CHECK(seen == std::set<Texel>(rows.begin(), rows.end()));
}

TEST_CASE("the texels of one fetch")
{
    const Extent2D extent{64, 64};
    const auto granule = [&](const char* layout, std::int64_t line, std::int64_t sector) {
        return fetch_granule(
            {parse_layout(layout),
             {.capacity = Bytes{4096}, .line = Bytes{line}, .sector = Bytes{sector}}},
            extent, Bytes{16});
    };
    CHECK(granule("row", 64, 0) == Extent2D{4, 1});
    CHECK(granule("4x4:morton,row", 64, 0) == Extent2D{2, 2});
    CHECK(granule("nvidia-blocklinear-turing-gob16", 128, 32) == Extent2D{1, 2});
    CHECK(granule("nvidia-blocklinear-turing-gob16", 128, 0) == Extent2D{2, 4});
    CHECK(granule("row", 16, 0) == Extent2D{1, 1});
}

TEST_CASE("a small simulated cache is identified, the same way on any number of threads")
{
    const SimulationOptions device = small_texture_unit();
    const MeasuredWalks measured = measured_on(device, 30, 256);
    IdentifyOptions options{
        .most_capacity = Bytes{16 * 1024}, .shapes = 6, .structures = 12, .threads = 1};
    const Identification one = identify(measured, options);
    options.threads = 3;
    const Identification three = identify(measured, options);

    const Explanation& best = one.explanations.front();
    const TextureCache truth{device.machine.layout, device.machine.l1().geometry};
    CHECK(std::find(best.equivalents.begin(), best.equivalents.end(), truth) !=
          best.equivalents.end());
    CHECK(best.granule == Extent2D{2, 2});
    CHECK(best.fit.mape < 1e-6);
    CHECK(one.held_out.mape < 0.05);
    // Every cache that is said to be alike really is.
    const std::vector<double> ratios =
        miss_ratios(truth, measured.extent, measured.bytes_per_texel, measured.walks);
    for (const TextureCache& cache : best.equivalents) {
        CHECK(miss_ratios(cache, measured.extent, measured.bytes_per_texel, measured.walks) ==
              ratios);
    }
    double weights = 0;
    REQUIRE(one.explanations.size() == three.explanations.size());
    for (std::size_t i = 0; i < one.explanations.size(); ++i) {
        CHECK(one.explanations[i].equivalents == three.explanations[i].equivalents);
        CHECK(one.explanations[i].weight == three.explanations[i].weight);
        CHECK(one.explanations[i].predicted == three.explanations[i].predicted);
        weights += one.explanations[i].weight;
    }
    CHECK(weights == Approx(1).epsilon(0.01));
    CHECK(one.held_out_predicted == three.held_out_predicted);
}

TEST_CASE("proposed walks tell two explanations apart")
{
    const auto explanation = [](std::int64_t ways) {
        Explanation one;
        one.cache = {
            parse_layout("4x4:morton,row"),
            {.capacity = Bytes{512 * ways}, .line = Bytes{64}, .ways = static_cast<int>(ways)}};
        one.latency = {50, 100};
        one.fit.mape = 0.02;
        one.equivalents = {one.cache};
        return one;
    };
    Identification open;
    open.explanations = {explanation(4), explanation(5)};
    const ProposeOptions options{.count = 3,
                                 .pool = 200,
                                 .design = {.extent = {128, 128}, .steps = 256},
                                 .first_number = 70};
    const std::vector<TexelWalk> walks = propose_walks(open, options);
    REQUIRE(walks.size() == 3);
    CHECK(walks[0].number == 70);
    CHECK(walks[2].number == 72);
    CHECK(propose_walks(open, options) == walks);
    const auto four =
        miss_ratios(open.explanations[0].cache, options.design.extent, Bytes{16}, walks);
    const auto five =
        miss_ratios(open.explanations[1].cache, options.design.extent, Bytes{16}, walks);
    // The first one is the best of the pool; rounds over five lines of a set miss always or never.
    CHECK(four[0] - five[0] > 0.5);
}

TEST_CASE("identification refuses what it cannot use")
{
    MeasuredWalks measured = measured_on(small_texture_unit(), 12, 64);
    CHECK_THROWS_WITH(identify(measured, {.folds = 7}), Catch::Contains("too few for 7 folds"));
    CHECK_THROWS_AS(identify(measured, {.folds = 3}, {}, [] { return true; }), Interrupted);
    measured.ns_per_read[4] = 0;
    CHECK_THROWS_WITH(identify(measured), Catch::Contains("is not positive"));
}

TEST_CASE("the cache of a simulated device is found from its table of ArchProbe")
{
    SimulationOptions device;
    device.machine.layout = parse_layout("row");
    device.machine.l1().geometry = {.capacity = Bytes{2048}, .line = Bytes{64}, .ways = 4};
    // What ArchProbe does: ranges with a stride of a texel, then strides over a range beyond the
    // cache.
    std::vector<PointerChase> chases;
    for (std::int64_t texels = 4; texels <= 512; texels += 4) {
        chases.push_back({texels, 1, 1024, 1});
    }
    for (std::int64_t stride = 2; stride <= 64; ++stride) {
        chases.push_back({144, stride, 1024, 1});
    }
    // Streams write six digits, too.
    std::stringstream table;
    table << "range (byte),stride (byte),niter,t (us)\n";
    const Image image{.name = "line", .extent = {512, 1}};
    for (const PointerChase& chase : chases) {
        std::vector<Texel> texels;
        for (std::int64_t i = 0; i < chase.reads; ++i) {
            texels.push_back({static_cast<std::int32_t>(i * chase.stride % chase.texels), 0});
        }
        const double ns = simulated_walk_ns(device, image, texels);
        table << 16 * static_cast<double>(chase.texels) << ','
              << 16 * static_cast<double>(chase.stride) << ',' << chase.reads << ','
              << ns * static_cast<double>(chase.reads) / 1000 << '\n';
    }
    const ArchProbeWalks walks =
        archprobe_walks(parse_archprobe_table(table, "t.csv"), {}, "t.csv");
    CHECK(walks.measured.extent == Extent2D{512, 1});
    const Identification found = identify(walks.measured);
    REQUIRE(explains_walks(found));
    const CacheGeometry& l1 = found.explanations.front().cache.l1;
    CHECK(l1.capacity.value == 2048);
    CHECK(l1.line.value == 64);
    CHECK(l1.ways == 4);
}
