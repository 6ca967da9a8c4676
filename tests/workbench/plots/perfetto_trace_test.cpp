// Perfetto traces: what was written is read by a slow decoder of the wire format.

#include "base/random.hpp"
#include "tests/workbench/plots/read_perfetto.hpp"
#include "workbench/plots/perfetto_trace.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::plots;
using namespace texelscope::test;

namespace {

using Track = PerfettoTrace::Track;
using Annotation = PerfettoTrace::Annotation;

std::int64_t below(std::mt19937_64& random, std::uint64_t end)
{
    return static_cast<std::int64_t>(base::uniform_below(random, end));
}

/// Of a few lengths, whose own length takes one or two bytes.
std::string drawn_name(std::mt19937_64& random)
{
    const std::string names[] = {"",
                                 "read",
                                 "wait \u00B5",
                                 std::string(127, 'a'),
                                 std::string(128, 'b'),
                                 std::string(20'000, 'c'),
                                 "d" + std::to_string(below(random, 50))};
    return names[below(random, std::size(names))];
}

} // namespace

TEST_CASE("A timeline of random slices and counters is read as it was written")
{
    std::mt19937_64 random(11);
    PerfettoTrace trace;
    std::vector<Track> ids;
    std::vector<ReadTrack> wanted;
    for (int i = 0; i < 12; ++i) {
        const std::size_t parent = static_cast<std::size_t>(below(random, ids.size() + 1));
        const Track below_of = parent == ids.size() ? Track::none : ids[parent];
        ReadTrack track;
        const std::string name = "track " + std::to_string(i);
        track.path = (parent == ids.size() ? "" : wanted[parent].path + "/") + name;
        track.counter = below(random, 3) == 0;
        if (track.counter) {
            track.unit = below(random, 2) == 0 ? "bytes" : "%";
            ids.push_back(trace.add_counter(name, track.unit, below_of));
        } else {
            ids.push_back(trace.add_track(name, below_of));
        }
        wanted.push_back(track);
    }
    std::int64_t now = 0;
    std::vector<std::vector<std::size_t>> open(ids.size());
    for (int i = 0; i < 2000; ++i) {
        now += below(random, 3) == 0 ? 0 : below(random, 1'000'000'000);
        const auto t = static_cast<std::size_t>(below(random, ids.size()));
        ReadTrack& track = wanted[t];
        ReadEvent event{now, now, {}, {}, 0};
        if (track.counter) {
            const double values[] = {0, -1.5, 1e300, 5e-324,
                                     static_cast<double>(below(random, 1000)) / 7};
            event.value = values[below(random, std::size(values))];
            trace.count(ids[t], now, event.value);
            track.events.push_back(event);
        } else if (!open[t].empty() && below(random, 2) == 0) {
            trace.end(ids[t], now);
            track.events[open[t].back()].to = now;
            open[t].pop_back();
        } else {
            event.name = drawn_name(random);
            const std::string words = drawn_name(random);
            const std::int64_t integers[] = {0, -1, std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max(),
                                             below(random, 1000)};
            const std::int64_t integer = integers[below(random, std::size(integers))];
            const std::vector<Annotation> all{
                {"an integer", integer}, {"a number", 0.1 * i}, {"a text", words}};
            const std::vector<Annotation> said(all.begin(), all.begin() + below(random, 4));
            for (const Annotation& each : said) {
                if (const auto* const text = std::get_if<std::string_view>(&each.value)) {
                    event.annotations[std::string(each.name)] = std::string(*text);
                } else if (const auto* const real = std::get_if<double>(&each.value)) {
                    event.annotations[std::string(each.name)] = *real;
                } else {
                    event.annotations[std::string(each.name)] = integer;
                }
            }
            trace.begin(ids[t], now, event.name, said);
            open[t].push_back(track.events.size());
            track.events.push_back(event);
        }
    }
    for (std::size_t t = 0; t < ids.size(); ++t) {
        for (; !open[t].empty(); open[t].pop_back()) {
            trace.end(ids[t], now);
            wanted[t].events[open[t].back()].to = now;
        }
    }
    const std::vector<ReadTrack> read = read_perfetto(trace.bytes());
    REQUIRE(read.size() == wanted.size());
    for (std::size_t t = 0; t < read.size(); ++t) {
        CAPTURE(wanted[t].path);
        CHECK(read[t].path == wanted[t].path);
        CHECK(read[t].counter == wanted[t].counter);
        CHECK(read[t].unit == wanted[t].unit);
        CHECK(read[t].rank > (t == 0 ? 0 : read[t - 1].rank));
        CHECK((read[t].events == wanted[t].events));
    }
}

TEST_CASE("A name is written once, and a timeline without events is a file")
{
    CHECK(PerfettoTrace().bytes().empty());
    PerfettoTrace trace;
    const Track track = trace.add_track("a core");
    const std::string name(1000, 'n');
    trace.slice(track, 0, 1, name);
    const std::size_t before = trace.bytes().size();
    for (std::int64_t i = 1; i < 100; ++i) {
        trace.slice(track, i, i + 1, name);
    }
    CHECK(trace.bytes().size() - before < 99 * 64);
    CHECK(read_perfetto(std::move(trace).bytes()).at(0).events.at(99).name == name);
}
