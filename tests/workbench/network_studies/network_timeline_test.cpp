// A judged network as a timeline: its slices and counters, read by a slow decoder.

#include "networks/plan/memory_plan.hpp"
#include "tests/workbench/network_studies/judged_example.hpp"
#include "tests/workbench/plots/read_perfetto.hpp"
#include "workbench/network_studies/network_timeline.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;
using namespace texelscope::test;

namespace {

const std::string root = "an <example> & more on a phone";

const ReadTrack& track_of(const std::vector<ReadTrack>& tracks, const std::string& path)
{
    for (const ReadTrack& track : tracks) {
        if (track.path == root + path) {
            return track;
        }
    }
    throw std::runtime_error("no track " + path);
}

bool has_track(const std::vector<ReadTrack>& tracks, const std::string& path)
{
    return std::ranges::count(tracks, root + path, &ReadTrack::path) > 0;
}

std::string text_of(const ReadEvent& slice, const std::string& name)
{
    return std::get<std::string>(slice.annotations.at(name));
}

} // namespace

TEST_CASE("Every judge has its kernels one after the other, with what is known of each")
{
    const JudgedNetwork network = judged_example();
    const auto& kernels = network.planned.plan.kernels;
    REQUIRE(kernels.size() == 5); // a conversion, and two that concatenate
    const std::vector<ReadTrack> tracks = read_perfetto(network_timeline(network));
    CHECK(tracks.front().path == root);
    for (const auto& [path, judge] :
         {std::pair("/predicted", Judge::model), std::pair("/simulated", Judge::simulator),
          std::pair("/measured on a \"device\"", Judge::device)}) {
        const ReadTrack& track = track_of(tracks, path);
        const auto times = network.times(judge);
        std::size_t slice = 0;
        double end = 0;
        for (std::size_t k = 0; k < times.size(); ++k) {
            if (!times[k]) {
                continue; // not simulated
            }
            const ReadEvent& event = track.events.at(slice++);
            CAPTURE(path, k, event.name);
            CHECK(event.name.starts_with(std::to_string(k) + " " + kernels[k].kernel.op.name +
                                         " 1x"));
            CHECK(event.from == std::llround(end));
            end += *times[k];
            CHECK(event.to == std::llround(end));
            CHECK(text_of(event, "config") == to_string(kernels[k].schedule));
            CHECK(event.annotations.contains("conversion") == kernels[k].conversion);
            CHECK_THAT(text_of(event, "output"), Catch::Contains("image row"));
            CHECK(std::get<double>(event.annotations.at("predicted_ns")) ==
                  *network.times(Judge::model)[k]);
            CHECK(event.annotations.contains("simulated_ns") == (k > 0));
            CHECK(event.annotations.contains("l1_hits") == (k > 1));
            CHECK(std::get<double>(event.annotations.at("measured_ns")) ==
                  20'000.0 + static_cast<double>(k));
        }
        CHECK(track.events.size() == slice);
    }
    CHECK(track_of(tracks, "/predicted").events.back().annotations.at("checked") ==
          decltype(ReadEvent::annotations)::mapped_type("differs from the reference"));
}

TEST_CASE("Memory, hit rates and stalls are counters over the kernels")
{
    const JudgedNetwork network = judged_example();
    const std::vector<ReadTrack> tracks = read_perfetto(network_timeline(network));
    const networks::MemoryPlan memory = networks::memory_plan(network.planned.plan);
    const ReadTrack& predicted = track_of(tracks, "/predicted");
    const ReadTrack& alive = track_of(tracks, "/predicted/memory in use");
    CHECK(alive.unit == "bytes");
    REQUIRE(alive.events.size() == predicted.events.size() + 1);
    for (std::size_t k = 0; k < predicted.events.size(); ++k) {
        CHECK(alive.events[k].from == predicted.events[k].from);
        CHECK(alive.events[k].value == static_cast<double>(memory.alive[k]));
    }
    CHECK(alive.events.back().from == predicted.events.back().to);
    CHECK(alive.events.back().value == 0);

    // of the kernels 1 to 4
    const std::vector<ReadEvent>& simulated = track_of(tracks, "/simulated").events;
    const std::vector<ReadEvent>& l1 = track_of(tracks, "/simulated/L1 hits").events;
    const std::vector<ReadEvent>& l2 = track_of(tracks, "/simulated/L2 hits").events;
    REQUIRE(l1.size() == 5);
    REQUIRE(l2.size() == 5);
    CHECK(l1[0].value == 0); // looks nothing up
    for (std::size_t i = 1; i < 4; ++i) {
        const auto k = static_cast<double>(i + 1);
        CHECK(l1[i].from == simulated[i].from);
        CHECK(l1[i].value == Approx(90 - k / 10));
        CHECK(l2[i].value == Approx(100 * 25 / (100 + k)));
    }
    // Core 0 waits most, core 1 computes; shares of what was simulated.
    for (const ReadEvent& slice : track_of(tracks, "/simulated/core 0").events) {
        CHECK(slice.name == "waiting for data");
        const auto k = static_cast<double>(std::get<std::int64_t>(slice.annotations.at("kernel")));
        CHECK(std::get<double>(slice.annotations.at("waiting for data")) ==
              Approx((30 + k) / (40 + k)));
    }
    CHECK(track_of(tracks, "/simulated/core 1").events.at(3).name == "arithmetic");
    CHECK(track_of(tracks, "/simulated/core 1").events.at(3).to == simulated[3].to);
    CHECK(track_of(tracks, "/simulated/core 1/arithmetic").events.at(0).value ==
          Approx(100.0 * 60 / 70));
    CHECK(track_of(tracks, "/simulated/all cores/issued").events.at(0).value ==
          Approx(100.0 * 20 / 111));
    CHECK_FALSE(has_track(tracks, "/simulated/core 2"));
    CHECK_FALSE(has_track(tracks, "/simulated/core 0/arithmetic")); // nowhere
}

TEST_CASE("A timeline of a plan alone has one judge and nothing of a simulator")
{
    JudgedNetwork network = judged_example();
    network.simulated.clear();
    network.measured.reset();
    const std::vector<ReadTrack> tracks = read_perfetto(network_timeline(network));
    REQUIRE(tracks.size() == 3);
    CHECK(tracks[1].path == root + "/predicted");
    CHECK(tracks[2].path == root + "/predicted/memory in use");
}
