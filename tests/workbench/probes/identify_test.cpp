#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/identification/propose_walks.hpp"
#include "model/walks/simulated_walks.hpp"
#include "model/walks/walk_file.hpp"
#include "workbench/probes/identify_rounds.hpp"
#include "workbench/probes/profile/identified_profile.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope::workbench::probes;

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

TEST_CASE("walks measured on an NVIDIA H100 show its published layout and predict walks that were "
          "held out",
          "[long]")
{
    // A quarter of the walks: the full set takes as long as it may take a user, not a test.
    const MeasuredWalks measured = h100_walks(4);
    REQUIRE(measured.size() == 50);
    const Identification found =
        identify(measured, {.panel_reads = 100'000, .shapes = 4, .structures = 8});
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
            published =
                published || (explanation.fit.mape < 1.1 * best.fit.mape &&
                              to_string(cache.layout).starts_with("nvidia-blocklinear-turing-gob"));
        }
    }
    CHECK(published);
    // A cache without sets and sectors, as found by hand before, is far from it.
    const TextureCache simple{parse_layout("nvidia-blocklinear-turing-gob16"),
                              {.capacity = Bytes{64 * 1024}, .line = Bytes{32}}};
    const std::vector<double> ratios =
        miss_ratios(simple, measured.extent, measured.bytes_per_texel, measured.walks);
    std::vector<std::size_t> every(measured.size());
    for (std::size_t i = 0; i < every.size(); ++i) {
        every[i] = i;
    }
    const LatencyLine line = fit_latency(ratios, measured.ns_per_read, every);
    CHECK(mean_relative_error(line, ratios, measured.ns_per_read, every) > 2 * best.fit.mape);
}

namespace {

/// One round and, where that is enough, a narrow search keep it short.
void check_identified(const std::string& profile, double noise, bool narrow)
{
    CAPTURE(profile, noise);
    IdentifyOptions options;
    options.seed = narrow ? 1 : 2;
    if (narrow) {
        options.folds = 2;
        options.panel_reads = 100'000;
        options.shapes = 6;
        options.structures = 12;
    }
    const IdentifiedDevice found = identify_simulated(
        find_profile(profile).simulation, {.asked = {.rounds = 1}, .noise = noise}, options);
    CHECK(found.rounds.measured.size() == 60);
    CHECK(found.found);
    const Explanation& best = found.rounds.identification.explanations.front();
    CHECK(best.fit.mape <= noise + 1e-6);
    CHECK(explains_walks(found.rounds.identification));
}

} // namespace

TEST_CASE("a shipped profile is identified from 60 simulated walks, with 3 % noise")
{
    check_identified("adreno-640", 0.03, true);
}

// One of each cache but the H100's, whose capacity takes longer walks than a test has time for; the
// test below shows that the other profiles are the same problem.
TEST_CASE("shipped profiles are identified from 60 simulated walks, without or with 3 % noise",
          "[long]")
{
    check_identified("adreno-640", 0, true);
    check_identified("mali-g77-tmmodel", 0.03, true);
    check_identified("mali-g76", 0.03, false);
    check_identified("pocl-cpu", 0, true);
}

TEST_CASE("profiles with the same cache take times in proportion on the same walks")
{
    // Errors are relative, so what is identified does not depend on the factor.
    std::mt19937_64 random(5);
    const Extent2D extent{1024, 1024};
    const std::vector<TexelWalk> walks = design_walks(random, {.extent = extent, .steps = 512}, 12);
    // of the profiles that are identified above
    std::vector<std::pair<TextureCache, std::vector<double>>> known;
    for (const char* name :
         {"adreno-640", "mali-g77-tmmodel", "mali-g76", "pocl-cpu", "nvidia-h100"}) {
        const SimulationOptions device = find_profile(name).simulation;
        known.emplace_back(TextureCache{device.machine.layout, device.machine.l1().geometry},
                           measure_simulated(device, extent, Bytes{16}, walks, 0, 1).ns_per_read);
    }
    for (const std::string& name : profile_names()) {
        if (name == "nvidia-h200") {
            continue; // the H100's cache, with a miss that takes less beside a hit
        }
        CAPTURE(name);
        const DeviceProfile profile = find_profile(name);
        if (profile.values.at("latency.l2").provenance == Provenance::identified) {
            continue; // by kernels, which tell ranges: a cache of its own
        }
        const SimulationOptions device = profile.simulation;
        const auto same = std::find_if(known.begin(), known.end(), [&](const auto& one) {
            return one.first == TextureCache{device.machine.layout, device.machine.l1().geometry};
        });
        REQUIRE(same != known.end());
        const std::vector<double> ns =
            measure_simulated(device, extent, Bytes{16}, walks, 0, 1).ns_per_read;
        for (std::size_t i = 0; i < ns.size(); ++i) {
            CHECK(ns[i] / same->second[i] == Approx(ns[0] / same->second[0]).epsilon(1e-9));
        }
    }
}

TEST_CASE("walks become longer while the capacity is open", "[long]")
{
    // More lines than the first round's walks read, fewer than those of the next.
    SimulationOptions device;
    device.machine.layout = parse_layout("row");
    device.machine.l1().geometry = {.capacity = Bytes{32 * 1024}, .line = Bytes{64}};
    const SimulatedIdentification how{
        .asked = {.walks = 32, .steps = 256, .most_steps = 2048, .extent = {512, 512}}};
    const IdentifiedDevice found = identify_simulated(device, how,
                                                      {.folds = 2,
                                                       .most_capacity = Bytes{64 * 1024},
                                                       .panel_reads = 100'000,
                                                       .shapes = 6,
                                                       .structures = 12});
    CHECK(found.rounds.measured.walks.front().texels.size() == 256);
    CHECK(found.rounds.measured.walks[16].texels.size() == 1024);
    CHECK(found.found);
}

TEST_CASE("proposed walks make fewer caches alike")
{
    const SimulationOptions device = find_profile("mali-g77-tmmodel").simulation;
    const TextureCache truth{device.machine.layout, device.machine.l1().geometry};
    const Extent2D extent{512, 512};
    std::mt19937_64 random(2);
    const WalkDesign design{.extent = extent, .steps = 512};
    const IdentifyOptions options{.folds = 2,
                                  .most_capacity = Bytes{64 * 1024},
                                  .panel_reads = 50'000,
                                  .shapes = 6,
                                  .structures = 12};
    const MeasuredWalks before =
        measure_simulated(device, extent, Bytes{16}, design_walks(random, design, 5), 0, 1);
    const Identification open = identify(before, options);
    std::vector<TexelWalk> walks = before.walks;
    for (TexelWalk& walk :
         propose_walks(open, {.count = 12, .pool = 200, .design = design, .first_number = 5})) {
        walks.push_back(std::move(walk));
    }
    const Identification closed =
        identify(measure_simulated(device, extent, Bytes{16}, walks, 0, 1), options);
    CHECK(closed.explanations.front().fit.mape < 1e-6);
    CHECK(closed.explanations.front().equivalents.size() <
          open.explanations.front().equivalents.size());
    CHECK(names(closed.explanations.front().equivalents, truth, true));
}

TEST_CASE("what was identified becomes a profile")
{
    const DeviceProfile base = find_profile("mali-g76");
    SimulationOptions device = base.simulation;
    device.machine.layout = parse_layout("4x4:row,row");
    device.machine.l1().geometry = {.capacity = Bytes{2048}, .line = Bytes{32}, .ways = 4};
    device.machine.l1().latency = Cycles{40};
    device.machine.l2().latency = Cycles{90};
    const IdentifiedDevice found = identify_simulated(
        device, {.asked = {.walks = 40, .steps = 256, .extent = {256, 256}, .rounds = 1}},
        {.folds = 2,
         .most_capacity = Bytes{16 * 1024},
         .panel_reads = 50'000,
         .shapes = 6,
         .structures = 12});
    const Identification& identification = found.rounds.identification;
    const DeviceProfile profile = identified_profile(base, identification, "a command on a device");
    const TextureCache& cache = identification.explanations.front().cache;
    CHECK(profile.simulation.machine.layout == cache.layout);
    CHECK(profile.simulation.machine.l1().geometry.capacity == Bytes{2048});
    CHECK(profile.simulation.machine.l1().geometry.line == Bytes{32});
    CHECK(profile.simulation.machine.l1().latency == Cycles{40});
    CHECK(profile.simulation.machine.l2().latency == Cycles{90});
    CHECK(profile.simulation.machine.l2().geometry == base.simulation.machine.l2().geometry);
    CHECK(profile.values.at("l1.line").provenance == Provenance::identified);
    CHECK_THAT(profile.values.at("l1.line").source,
               Catch::Contains("a command on a device; held-out error"));
    CHECK(profile.values.at("l2.line") == base.values.at("l2.line"));
    CHECK(parse_profile(to_xml(profile), "again") == profile);

    Identification unexplained = identification;
    unexplained.held_out.mape = 0.6 * unexplained.error_of_one_latency;
    CHECK_THROWS_WITH(identified_profile(base, unexplained, "a command"),
                      Catch::Contains("no cache explains the walks"));
}

TEST_CASE("later rounds ask what noise has left open", "[long]")
{
    const SimulationOptions device = find_profile("mali-g77-tmmodel").simulation;
    const SimulatedIdentification how{
        .asked = {.walks = 48, .steps = 512, .extent = {512, 512}, .rounds = 2}, .noise = 0.03};
    IdentifyOptions options;
    options.most_capacity = Bytes{64 * 1024};
    options.shapes = 6;
    options.structures = 12;
    options.folds = 3;
    options.seed = 3;
    const IdentifiedDevice found = identify_simulated(device, how, options);
    REQUIRE(found.rounds.measured.size() == 48);
    for (std::size_t i = 0; i < 48; ++i) {
        CHECK(found.rounds.measured.walks[i].number == static_cast<std::int64_t>(i));
    }
    const Explanation& best = found.rounds.identification.explanations.front();
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
