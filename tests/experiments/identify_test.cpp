#include "experiments/identify_simulated.hpp"
#include "model/walk_file.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope;

namespace {

/// Some of the walks that were measured on the H100, evenly spread, and the first reads of each.
MeasuredWalks h100_walks(std::size_t every)
{
    const std::string folder = TEXELSCOPE_MEASUREMENTS;
    MeasuredWalks all = join_walks(read_walks(folder + "/h100-walks.csv.zst"),
                                   read_walk_latencies(folder + "/h100-walks-latencies.csv"),
                                   {.name = "walks", .extent = {2048, 2048}});
    MeasuredWalks some{all.extent, all.bytes_per_texel, {}, {}};
    for (std::size_t i = 0; i < all.size(); i += every) {
        some.walks.push_back(std::move(all.walks[i]));
        some.ns_per_read.push_back(all.ns_per_read[i]);
    }
    return some;
}

} // namespace

TEST_CASE("walks measured on an NVIDIA H100 show its published layout and predict walks that were held out")
{
    // A quarter of the walks: the full set takes as long as it may take a user, not a test.
    const MeasuredWalks measured = h100_walks(4);
    REQUIRE(measured.size() == 50);
    const Identification found = identify(measured, {.panel_reads = 100'000, .shapes = 4, .structures = 8});
    const Explanation& best = found.explanations.front();
    CHECK(best.fit.mape < 0.01);
    CHECK(found.held_out.mape < 0.025);
    CHECK(found.held_out.samples == 50);
    CHECK(best.granule == Extent2D{1, 2});
    CHECK(best.cache.l1.sector == Bytes{32});
    // Of the layouts that explain the walks about as well as the best does.
    bool published = false;
    for (const Explanation& explanation : found.explanations) {
        for (const TextureCache& cache : explanation.equivalents) {
            published = published || (explanation.fit.mape < 1.1 * best.fit.mape &&
                                      to_string(cache.layout).starts_with("nvidia-blocklinear-turing-gob"));
        }
    }
    CHECK(published);
    // A cache without sets and sectors, as found by hand before, is far from it.
    const TextureCache simple{parse_layout("nvidia-blocklinear-turing-gob16"),
                              {.capacity = Bytes{64 * 1024}, .line = Bytes{32}}};
    const std::vector<double> ratios = miss_ratios(simple, measured.extent, measured.bytes_per_texel, measured.walks);
    std::vector<std::size_t> every(measured.size());
    for (std::size_t i = 0; i < every.size(); ++i) {
        every[i] = i;
    }
    const LatencyLine line = fit_latency(ratios, measured.ns_per_read, every);
    CHECK(mean_relative_error(line, ratios, measured.ns_per_read, every) > 2 * best.fit.mape);
}

TEST_CASE("a shipped profile is identified from walks simulated on it")
{
    const std::string name = GENERATE(as<std::string>{}, "adreno-640", "mali-g77-tmmodel");
    CAPTURE(name);
    const SimulationOptions device = find_profile(name).simulation;
    const IdentifiedDevice found = identify_simulated(
        device, {.walks = 40, .steps = 512, .extent = {512, 512}, .rounds = 1}, {.shapes = 8, .structures = 16});
    CHECK(found.measured.size() == 40);
    CHECK(found.found);
    CHECK(found.identification.explanations.front().fit.mape < 1e-6);
}

TEST_CASE("later rounds ask what noise has left open")
{
    const SimulationOptions device = find_profile("mali-g77-tmmodel").simulation;
    const SimulatedIdentification how{.walks = 48, .steps = 512, .noise = 0.03, .extent = {512, 512}, .rounds = 2};
    IdentifyOptions options;
    options.most_capacity = Bytes{64 * 1024};
    options.shapes = 6;
    options.structures = 12;
    options.folds = 3;
    const IdentifiedDevice found = identify_simulated(device, how, options);
    REQUIRE(found.measured.size() == 48);
    for (std::size_t i = 0; i < 48; ++i) {
        CHECK(found.measured.walks[i].number == static_cast<std::int64_t>(i));
    }
    const Explanation& best = found.identification.explanations.front();
    CHECK(best.granule == Extent2D{2, 2});
    CHECK(found.found_but_for_replacement);
    CHECK(best.fit.mape < 0.04);
}

TEST_CASE("whether caches name the true one")
{
    const TextureCache truth{parse_layout("row"), {.capacity = Bytes{4096}, .line = Bytes{64}}};
    TextureCache same = truth;
    same.l1.index = SetIndex::xor_folded; // of one set
    same.l1.ways = 64;
    CHECK(names({same}, truth, true));
    same.l1.replacement = ReplacementKind::fifo;
    CHECK_FALSE(names({same}, truth, true));
    CHECK(names({same}, truth, false));
    same.layout = parse_layout("column");
    CHECK_FALSE(names({same}, truth, false));
    CHECK_FALSE(names({}, truth, false));
}
