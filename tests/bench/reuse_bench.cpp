// Stack distances against a Fenwick tree, and distances up to 128 lines against the plain simulator
// of one cache, measured in the same run: the counters on the same sequence from memory, and the
// whole walk through the launch.

#include "sim/options/options.hpp"
#include "sim/reuse/bounded_distance.hpp"
#include "sim/reuse/reuse_distance.hpp"
#include "sim/reuse/stack_distance.hpp"
#include "tests/bench/fenwick_distance.hpp"
#include "tests/bench/patterns.hpp"
#include "tests/bench/plain_lru.hpp"
#include "traces/launch_source.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace texelscope::sim;
using namespace texelscope::bench;

constexpr std::int64_t passes = 4;
constexpr int depth = 128;
constexpr std::int64_t lines = std::int64_t{side} * side * 16 / 64;

/// The best of some repetitions.
template <class Work>
double seconds(int repetitions, const Work& work)
{
    double best = 0;
    for (int i = 0; i < repetitions; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const double one =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = i == 0 ? one : std::min(best, one);
    }
    return best;
}

/// The distinct lines of each warp access, as the counters get them in a launch.
struct Accesses {
    std::vector<std::int32_t> lines;
    std::vector<std::size_t> ends;
};

Accesses coalesced(std::span<const std::uint64_t> addresses)
{
    constexpr std::size_t lanes = 64;
    Accesses accesses;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const auto line = static_cast<std::int32_t>(addresses[i] / 64);
        const auto begin =
            accesses.lines.begin() +
            static_cast<std::ptrdiff_t>(accesses.ends.empty() ? 0 : accesses.ends.back());
        if (std::find(begin, accesses.lines.end(), line) == accesses.lines.end()) {
            accesses.lines.push_back(line);
        }
        if (i % lanes == lanes - 1) {
            accesses.ends.push_back(accesses.lines.size());
        }
    }
    return accesses;
}

template <class Counter>
void feed(Counter& counter, const Accesses& accesses)
{
    std::size_t begin = 0;
    for (const std::size_t end : accesses.ends) {
        counter.access_all({0, std::span(accesses.lines).subspan(begin, end - begin), true});
        begin = end;
    }
}

void check(bool right, const char* what)
{
    if (!right) {
        std::fprintf(stderr, "%s differ from those of the baseline\n", what);
        std::exit(1);
    }
}

struct Means {
    double sum = 0;
    int count = 0;
    void add(double ratio) { sum += std::log(ratio), ++count; }
    [[nodiscard]] double value() const { return std::exp(sum / count); }
};

} // namespace

int main()
{
    Means full;
    Means bounded;
    Means walked_full;
    Means walked_bounded;
    std::printf("million texel reads per second; x: times the baseline on the same reads\n");
    std::printf("%-11s %8s %14s %14s | %8s %14s %14s\n", "", "Fenwick", "full", "full, walked",
                "plain", "128 lines", "128, walked");
    for (const auto& [pattern, block] :
         {std::pair{"row", 1}, {"row", 2}, {"blk4", 1}, {"tile8", 4}, {"rand", 4}}) {
        const std::string name = pattern;
        const auto source = name == "rand" ? random_walks(passes, 1)
                                           : make_trace_source(pattern_launch(name, passes));
        SimulationOptions options;
        options.machine.layout = parse_layout(
            block == 1 ? "row" : std::to_string(block) + "x" + std::to_string(block) + ":row,row");
        options.machine.l1().geometry = {
            .capacity = Bytes{64 * depth}, .line = Bytes{64}, .ways = 4};
        const std::vector<std::uint64_t> addresses = addresses_of(*source, block);
        const Accesses accesses = coalesced(addresses);
        const double millions = static_cast<double>(addresses.size()) / 1e6;

        ReuseDistanceHistogram expected;
        const double fenwick_time = seconds(1, [&] {
            FenwickDistance fenwick(lines);
            for (const std::int32_t line : accesses.lines) {
                fenwick.access(static_cast<std::size_t>(line));
            }
            expected = {fenwick.counts(), 0, fenwick.first_touches()};
        });
        while (!expected.counts.empty() && expected.counts.back() == 0) {
            expected.counts.pop_back();
        }
        const double plain_time =
            seconds(3, [&] { (void)plain_lru_misses(addresses, 64 * depth, 64, 4); });

        ReuseDistanceHistogram found;
        const double full_time = seconds(3, [&] {
            StackDistanceCounter counter(lines);
            feed(counter, accesses);
            found = counter.histogram();
        });
        check(found == expected, "distances");
        const double bounded_time = seconds(3, [&] {
            BoundedDistanceCounter counter(lines, depth);
            feed(counter, accesses);
            found = counter.histogram();
        });
        check(found.misses(depth) == expected.misses(depth) &&
                  found.misses(1) == expected.misses(1),
              "bounded distances");

        ReuseDistances walked;
        const double walked_full_time =
            seconds(3, [&] { walked = reuse_distances(*source, options); });
        const double walked_bounded_time = seconds(3, [&] {
            check(reuse_distances(*source, options, depth).together.misses(depth) ==
                      walked.together.misses(depth),
                  "walked distances");
        });

        const auto rate = [&](double time) { return millions / time; };
        std::printf(
            "%-6s %-4s %8.1f %6.0f (%5.2f) %6.0f (%5.2f) | %8.0f %6.0f (%5.2f) %6.0f (%5.2f)\n",
            pattern,
            block == 1 ? "row" : (std::to_string(block) + "x" + std::to_string(block)).c_str(),
            rate(fenwick_time), rate(full_time), fenwick_time / full_time, rate(walked_full_time),
            fenwick_time / walked_full_time, rate(plain_time), rate(bounded_time),
            plain_time / bounded_time, rate(walked_bounded_time), plain_time / walked_bounded_time);
        full.add(fenwick_time / full_time);
        walked_full.add(fenwick_time / walked_full_time);
        bounded.add(plain_time / bounded_time);
        walked_bounded.add(plain_time / walked_bounded_time);
    }
    std::printf("geometric means: full %.2f, walked %.2f times the Fenwick tree; 128 lines %.2f, "
                "walked %.2f times the "
                "plain simulator\n",
                full.value(), walked_full.value(), bounded.value(), walked_bounded.value());
    return 0;
}
