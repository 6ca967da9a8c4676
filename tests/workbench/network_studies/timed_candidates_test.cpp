#include "base/random.hpp"
#include "networks/models/builder.hpp"
#include "workbench/network_studies/timed_candidates.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;

namespace {

/// So many kernels that read the same two values.
networks::Plan readers_of_two(int kernels)
{
    networks::Builder net("two values", 1);
    const networks::ValueId a = net.input("a", {1, 8, 6, 6}), b = net.input("b", {1, 8, 6, 6});
    std::vector<networks::ValueId> made;
    for (int k = 0; k < kernels; ++k) {
        made.push_back(net.node("Mul", {a, b}));
    }
    networks::Graph graph = std::move(net).finish(made.front());
    graph.outputs = made;
    return networks::starting_plan(graph);
}

using Patterns = std::pair<AccessPattern, AccessPattern>; ///< of the two values

KernelPoint at(const networks::Plan& plan, std::size_t kernel, Patterns patterns)
{
    KernelPoint point{plan.kernels[kernel].schedule,
                      networks::open_layouts(plan, plan.kernels[kernel].kernel)};
    point.layouts[0]->pattern = patterns.first;
    point.layouts[1]->pattern = patterns.second;
    point.schedule = networks::noting(point.schedule, point.layouts);
    return point;
}

Patterns patterns_of(const KernelPoint& point)
{
    return {point.layouts[0]->pattern, point.layouts[1]->pattern};
}

constexpr AccessPattern row = AccessPattern::row, block = AccessPattern::block2;

} // namespace

TEST_CASE("Values move together where one alone would lose, and who has no candidate there is "
          "timed there")
{
    const networks::Plan plan = readers_of_two(2);
    REQUIRE(plan.kernels.size() == 2);
    REQUIRE(patterns_of(at(plan, 0, {row, row})) ==
            patterns_of({{}, open_layouts(plan, plan.kernels[0].kernel)}));
    for (const bool runs : {true, false}) {
        TimedCandidates timed(plan);
        timed.add(0, at(plan, 0, {row, row}), 10);
        timed.add(0, at(plan, 0, {block, row}), 20);
        timed.add(0, at(plan, 0, {row, block}), 20);
        timed.add(0, at(plan, 0, {block, block}), 1);
        timed.add(1, at(plan, 1, {row, row}), 10);
        std::vector<std::pair<std::size_t, Patterns>> asked;
        timed.choose_layouts([&](std::size_t k, const KernelPoint& point) {
            asked.emplace_back(k, patterns_of(point));
            return runs ? std::optional(15.0) : std::nullopt;
        });
        // Alone, a move to a block costs the first kernel more than the second could gain: nobody
        // is asked there.
        REQUIRE_FALSE(asked.empty());
        for (const auto& [kernel, patterns] : asked) {
            CHECK(kernel == 1);
            CHECK(patterns == Patterns{block, block});
        }
        for (const std::size_t k : {0U, 1U}) {
            REQUIRE(timed.fastest(k) != nullptr);
            CHECK(patterns_of(*timed.fastest(k)) ==
                  (runs ? Patterns{block, block} : Patterns{row, row}));
        }
    }
}

TEST_CASE("No value, and no kernel with all that it reads, gains by another move")
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 40; ++round) {
        CAPTURE(round);
        constexpr int kernels = 3;
        const networks::Plan plan = readers_of_two(kernels);
        TimedCandidates timed(plan);
        std::vector<std::map<Patterns, double>> times(kernels);
        std::vector<Patterns> known;
        for (std::size_t k = 0; k < times.size(); ++k) {
            for (const AccessPattern first : all_access_patterns) {
                for (const AccessPattern second : all_access_patterns) {
                    times[k][{first, second}] = 1 + base::uniform_real(random);
                    if (base::uniform_real(random) < 0.3 || (first == row && second == row)) {
                        timed.add(k, at(plan, k, {first, second}), times[k][{first, second}]);
                        known.emplace_back(first, second);
                    }
                }
            }
        }
        timed.choose_layouts([&](std::size_t k, const KernelPoint& point) {
            return std::optional(times[k][patterns_of(point)]);
        });
        const auto sum = [&](Patterns patterns) {
            double all = 0;
            for (auto& of_kernel : times) {
                all += of_kernel[patterns];
            }
            return all;
        };
        const Patterns chosen = patterns_of(*timed.fastest(0));
        for (std::size_t k = 0; k < times.size(); ++k) {
            CHECK(patterns_of(*timed.fastest(k)) == chosen);
        }
        for (const Patterns& other : known) {
            CHECK(sum(chosen) <= sum(other));
            CHECK(sum(chosen) <= sum({other.first, chosen.second}));
            CHECK(sum(chosen) <= sum({chosen.first, other.second}));
        }
    }
}
