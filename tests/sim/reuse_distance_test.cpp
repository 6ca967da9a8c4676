// Stack distances against a list in the order of use, against a Fenwick tree, and against caches of
// all sizes.

#include "base/error.hpp"
#include "sim/reuse/bounded_distance.hpp"
#include "sim/reuse/miss_ratio_curve.hpp"
#include "sim/reuse/reuse_distance.hpp"
#include "sim/reuse/stack_distance.hpp"
#include "tests/bench/fenwick_distance.hpp"
#include "tests/sim/random_case.hpp"
#include "tests/sim/random_launch.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>

using namespace texelscope;
using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

using Lines = std::vector<std::int32_t>;

void count(ReuseDistanceHistogram& histogram, std::size_t distance)
{
    histogram.counts.resize(std::max(histogram.counts.size(), distance + 1), 0);
    ++histogram.counts[distance];
}

/// Moves each line to the front of a list; its place in the list before was its distance.
ReuseDistanceHistogram by_list(const Lines& lines)
{
    ReuseDistanceHistogram histogram;
    std::vector<std::int32_t> recent;
    for (const std::int32_t line : lines) {
        const auto place = std::find(recent.begin(), recent.end(), line);
        if (place == recent.end()) {
            ++histogram.first_touches;
        } else {
            count(histogram, static_cast<std::size_t>(place - recent.begin()));
            recent.erase(place);
        }
        recent.insert(recent.begin(), line);
    }
    return histogram;
}

ReuseDistanceHistogram by_tree(const Lines& lines, std::int64_t line_count)
{
    bench::FenwickDistance tree(static_cast<std::size_t>(line_count));
    for (const std::int32_t line : lines) {
        tree.access(static_cast<std::size_t>(line));
    }
    ReuseDistanceHistogram histogram{tree.counts(), 0, tree.first_touches()};
    while (!histogram.counts.empty() && histogram.counts.back() == 0) {
        histogram.counts.pop_back();
    }
    return histogram;
}

/// What is left of a histogram when distances are counted up to a depth.
ReuseDistanceHistogram cut(ReuseDistanceHistogram histogram, int depth)
{
    histogram.deeper = histogram.misses(depth) - histogram.first_touches;
    histogram.counts.resize(static_cast<std::size_t>(depth), 0);
    return histogram;
}

/// Feeds a sequence in lists of random lengths; those without a line twice are said to be distinct.
template <class Counter>
ReuseDistanceHistogram counted(Counter counter, const Lines& lines, Random& random)
{
    for (std::size_t begin = 0; begin < lines.size();) {
        const auto length =
            static_cast<std::size_t>(random.one_in(4) ? random.small(0, 300) : random.small(1, 64));
        const auto list = std::span(lines).subspan(begin, std::min(length, lines.size() - begin));
        begin += list.size();
        Lines sorted(list.begin(), list.end());
        std::sort(sorted.begin(), sorted.end());
        const bool distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
        const std::int32_t first = list.empty() ? 0 : list.front();
        Lines deltas(list.begin(), list.end());
        for (std::int32_t& delta : deltas) {
            delta -= first;
        }
        counter.access_all({first, deltas, distinct});
    }
    return counter.histogram();
}

/// A sequence of loops over ranges, of random lines, and of a few hot ones, over lines below
/// `line_count`.
Lines random_lines(Random& random, std::int32_t line_count, std::size_t length)
{
    Lines lines;
    while (lines.size() < length) {
        const auto part =
            static_cast<std::size_t>(random.between(1, static_cast<std::int64_t>(length / 3)));
        const auto range = static_cast<std::int32_t>(random.between(1, line_count));
        const auto start = static_cast<std::int32_t>(random.between(0, line_count - range));
        const auto step =
            random.one_in(2) ? 1 : static_cast<std::int32_t>(random.between(1, range));
        const int kind = random.small(0, 3);
        std::int32_t at = 0;
        for (std::size_t i = 0; i < part; ++i) {
            switch (kind) {
            case 0: // round and round
                at = (at + step) % range;
                break;
            case 1: // anywhere
                at = static_cast<std::int32_t>(random.between(0, range - 1));
                break;
            case 2: // mostly a few
                at = static_cast<std::int32_t>(
                    random.between(0, random.one_in(20) ? range - 1 : std::min(range - 1, 5)));
                break;
            default: // to and fro
                at = static_cast<std::int32_t>(i) / range % 2 == 0
                         ? static_cast<std::int32_t>(i) % range
                         : range - 1 - static_cast<std::int32_t>(i) % range;
            }
            lines.push_back(start + at);
        }
    }
    lines.resize(length);
    return lines;
}

/// The slow way: an observer of the simulation that looks at every lookup. By core, and by core and
/// image.
class Watcher : public SimulationObserver {
public:
    void on_lookup(const LookupEvent& event) override
    {
        const auto line = static_cast<std::int32_t>(event.line / line_bytes);
        together[event.core].push_back(line);
        apart[{event.core, event.image}].push_back(line);
    }
    std::int64_t line_bytes = 1;
    std::map<int, Lines> together;
    std::map<std::pair<int, int>, Lines> apart;
};

void check_against_watcher(const TraceSource& source, SimulationOptions options, int depth)
{
    options.mode.timed = false;
    Watcher watcher;
    watcher.line_bytes = options.machine.l1().geometry.line.value;
    SimulationObserver* observer = &watcher;
    (void)simulate(source, options, {&observer, 1});
    const ReuseDistances all = reuse_distances(source, options);
    const ReuseDistances bounded = reuse_distances(source, options, depth);
    ReuseDistances expected;
    for (int core = 0; core < options.machine.cores; ++core) {
        ReuseDistances of_core{by_list(watcher.together[core]), {}};
        for (std::size_t image = 0; image < source.images().size(); ++image) {
            of_core.images.push_back(by_list(watcher.apart[{core, static_cast<int>(image)}]));
        }
        expected += of_core;
    }
    CHECK(all == expected);
    CHECK(bounded.together == cut(all.together, depth));
    REQUIRE(bounded.images.size() == source.images().size());
    for (std::size_t image = 0; image < all.images.size(); ++image) {
        CHECK(bounded.images[image] == cut(all.images[image], depth));
    }
}

} // namespace

TEST_CASE("Distances of random sequences are the places in a list in the order of use")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const auto line_count = static_cast<std::int32_t>(
            random.one_in(4) ? random.between(1, 8) : random.between(1, 700));
        const Lines lines =
            random_lines(random, line_count, static_cast<std::size_t>(random.between(3, 20000)));
        const ReuseDistanceHistogram expected = by_list(lines);
        INFO("seed " << seed << ", " << line_count << " lines, " << lines.size() << " lookups");
        CHECK(by_tree(lines, line_count) == expected); // the baseline of the benchmark, too
        CHECK(counted(StackDistanceCounter(line_count), lines, random) == expected);
        const int depth = random.small(1, BoundedDistanceCounter::most_depth);
        INFO("depth " << depth);
        CHECK(counted(BoundedDistanceCounter(line_count, depth), lines, random) ==
              cut(expected, depth));
    }
}

TEST_CASE("Distances of long sequences over many lines agree with a Fenwick tree")
{
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Random random(seed);
        const auto line_count = static_cast<std::int32_t>(random.between(1, 30000));
        // the axis of times fills up at least twice
        const Lines lines = random_lines(random, line_count, 600000);
        const ReuseDistanceHistogram expected = by_tree(lines, line_count);
        INFO("seed " << seed << ", " << line_count << " lines");
        CHECK(counted(StackDistanceCounter(line_count), lines, random) == expected);
        for (const int depth : {1, 64, 128, 512}) {
            INFO("depth " << depth);
            CHECK(counted(BoundedDistanceCounter(line_count, depth), lines, random) ==
                  cut(expected, depth));
        }
    }
}

TEST_CASE("Loops over as many lines as the depth, one less and one more have one distance each")
{
    Random random(1);
    for (const int depth : {1, 2, 63, 64, 65, 127, 128, 129, 511, 512}) {
        for (const int loop : {depth - 1, depth, depth + 1}) {
            constexpr int lookups = 10000; // the window of times is 4096
            Lines lines;
            for (int i = 0; loop > 0 && i < lookups; ++i) {
                lines.push_back(i % loop);
            }
            INFO("depth " << depth << ", loop over " << loop);
            const auto found = counted(BoundedDistanceCounter(1000, depth), lines, random);
            CHECK(found.first_touches == loop);
            CHECK(found.deeper == (loop > depth ? lookups - loop : 0));
            if (loop > 0 && loop <= depth) {
                CHECK(found.counts[static_cast<std::size_t>(loop - 1)] == lookups - loop);
            }
            CHECK(found.lookups() == static_cast<std::int64_t>(lines.size()));
            CHECK(counted(StackDistanceCounter(1000), lines, random).misses(depth) ==
                  found.misses(depth));
        }
    }
}

TEST_CASE("A single line, no line at all, and the ends of the axis of times")
{
    Random random(2);
    CHECK(counted(StackDistanceCounter(1), {}, random) == ReuseDistanceHistogram{});
    CHECK(counted(BoundedDistanceCounter(1, 3), {}, random) ==
          ReuseDistanceHistogram{{0, 0, 0}, 0, 0});
    for (const std::size_t length :
         std::vector<std::size_t>{1, 63, 64, 65, 4095, 4096, 4097, 8192, 8193, 100000}) {
        const Lines same(length, 0);
        const auto again = static_cast<std::int64_t>(length) - 1;
        INFO(length << " lookups");
        CHECK(counted(StackDistanceCounter(1), same, random) == by_list(same));
        CHECK(counted(BoundedDistanceCounter(1, 1), same, random) ==
              ReuseDistanceHistogram{{again}, 0, 1});
        // All lines of the table have checkpoints when the axis is full.
        Lines round;
        for (std::size_t i = 0; i < length; ++i) {
            round.push_back(static_cast<std::int32_t>(i % 511));
        }
        CHECK(counted(StackDistanceCounter(511), round, random) == by_tree(round, 511));
    }
    CHECK_THROWS_AS(BoundedDistanceCounter(10, 0), Error);
    CHECK_THROWS_AS(BoundedDistanceCounter(10, 513), Error);
}

TEST_CASE(
    "Walking through a launch counts what an observer of the simulation sees, by core and image")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const LaunchCase c = random_launch_case(random);
        INFO("seed " << seed << "\n" << describe(c));
        check_against_watcher(*make_trace_source(c.launch), c.options, random.small(1, 64));
    }
}

TEST_CASE(
    "Walking through a trace counts what an observer of the simulation sees, by core and image")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        SimulationCase c = random_case(random);
        c.options.machine.dispatch = Dispatch::round_robin;
        INFO("seed " << seed << "\n" << describe(c));
        check_against_watcher(*c.source(), c.options, random.small(1, 64));
    }
}

TEST_CASE("The miss-ratio curve cut at a capacity is what the simulated cache misses")
{
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed + 500);
        LaunchCase c = random_launch_case(random);
        c.options.machine.l1().geometry.sector = Bytes{0};
        c.options.machine.l1().geometry.ways = 0;
        c.options.machine.l1().geometry.replacement = ReplacementKind::lru;
        const auto source = make_trace_source(c.launch);
        const ReuseDistances distances = reuse_distances(*source, c.options);
        const ReuseDistances bounded = reuse_distances(*source, c.options, 40);
        const MissRatioCurve curve = miss_ratio_curve(distances.together);
        const MissRatioCurve start = miss_ratio_curve(bounded.together);
        INFO("seed " << seed << "\n" << describe(c));
        CHECK(curve.misses(0) == curve.lookups);
        for (const std::int64_t lines : {1, 2, 3, 7, 16, 40, 333}) {
            c.options.machine.l1().geometry.capacity = c.options.machine.l1().geometry.line * lines;
            const SimulationResult result = simulate(*source, c.options);
            INFO(lines << " lines");
            CHECK(curve.lookups == result.l1.lookups);
            CHECK(curve.misses(lines) == result.l1.misses());
            CHECK(curve.miss_ratio(lines) == Approx(result.l1.miss_rate()));
            CHECK(distances.together.misses(lines) == result.l1.misses());
            if (lines <= 40) {
                CHECK(start.misses(lines) == result.l1.misses());
            }
        }
        CHECK(std::is_sorted(
            curve.points.begin(), curve.points.end(),
            [](const auto& a, const auto& b) { return a.lines < b.lines && a.misses > b.misses; }));
    }
}

TEST_CASE("An image on a stack of its own misses as in a launch that reads it alone")
{
    const Variable i{slots::first_loop_slot, "i", {0, 39}};
    const AccessFunction a{0, IndexExpr(i), IndexExpr(0)};
    const AccessFunction b{1, mod(IndexExpr(i), 8), IndexExpr(1)};
    const auto launch = [&](std::vector<Statement> body) {
        Launch one;
        one.kernel = "two";
        one.images = {{"A", {64, 2}, Bytes{16}}, {"B", {64, 2}, Bytes{16}}};
        one.local = {1, 1, 1};
        one.body = {Loop{i, std::move(body)}};
        return one;
    };
    const SimulationOptions options;
    const ReuseDistances both = reuse_distances(*make_trace_source(launch({a, b})), options);
    const ReuseDistances only_a = reuse_distances(*make_trace_source(launch({a})), options);
    const ReuseDistances only_b = reuse_distances(*make_trace_source(launch({b})), options);
    CHECK(both.images[0] == only_a.together);
    CHECK(both.images[1] == only_b.together);
    // four texels a line, one after the other
    CHECK(both.images[0].counts == std::vector<std::int64_t>{30});
    // two lines in turn, four texels each
    CHECK(both.images[1].counts == std::vector<std::int64_t>{30, 8});
    CHECK(both.together.misses(1) == 80); // one line for both images
    CHECK(both.together.lookups() == 80);
}

TEST_CASE("What is not known is refused")
{
    const ReuseDistanceHistogram bounded{{3, 2}, 4, 1};
    CHECK(bounded.misses(2) == 5);
    CHECK(bounded.misses(0) == 10);
    CHECK_THROWS_AS(bounded.misses(3), Error);
    const MissRatioCurve curve = miss_ratio_curve(bounded);
    CHECK(curve.limit == 2);
    CHECK(curve.points == std::vector<MissRatioCurve::Point>{{0, 10}, {1, 7}, {2, 5}});
    CHECK_THROWS_AS(curve.misses(3), Error);
    CHECK_THROWS_AS(curve.misses(-1), Error);
    const MissRatioCurve whole = miss_ratio_curve({{3, 2}, 0, 1});
    CHECK(whole.misses(1000) == 1);
    CHECK(miss_ratio_curve({}).miss_ratio(5) == 0);

    Launch launch;
    launch.kernel = "none";
    launch.images = {{"A", {4, 4}, Bytes{16}}};
    launch.body = {AccessFunction{0, 0, 0}};
    SimulationOptions options;
    options.machine.dispatch = Dispatch::dynamic;
    CHECK_THROWS_AS(reuse_distances(*make_trace_source(launch), options), Error);
    options.machine.dispatch = Dispatch::round_robin;
    CHECK_THROWS_AS(reuse_distances(*make_trace_source(launch), options, 600), Error);
}
