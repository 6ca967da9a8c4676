// Linear simulation against the plain simulator, and jumping against linear, both measured in the
// same run.

#include "devices/launch/launch_options.hpp"
#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "tests/bench/patterns.hpp"
#include "tests/bench/plain_lru.hpp"
#include "traces/launch_source.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace texelscope::sim;
using namespace texelscope::bench;

struct Cell {
    std::string pattern;
    std::int32_t block; ///< of the layout, in texels
    std::int64_t l1;    ///< bytes
};

std::string layout_text(std::int32_t block)
{
    return block == 1 ? "row" : std::to_string(block) + "x" + std::to_string(block) + ":row,row";
}

SimulationOptions options_for(const Cell& cell, std::int64_t l2, bool jump, bool kinds)
{
    SimulationOptions options;
    options.machine.layout = parse_layout(layout_text(cell.block));
    options.machine.l1().geometry = {.capacity = Bytes{cell.l1}, .line = Bytes{64}, .ways = 4};
    options.machine.l2().geometry.capacity = Bytes{l2};
    options.mode.jump = jump;
    options.mode.miss_kinds = kinds;
    return options;
}

std::unique_ptr<TraceSource> source_of(const std::string& pattern, std::int64_t passes)
{
    return pattern == "rand" ? random_walks(passes, 1)
                             : make_trace_source(pattern_launch(pattern, passes));
}

double processor_seconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time of this thread: what else the machine does falls out.
template <class Work>
double seconds(const Work& work)
{
    const double start = processor_seconds();
    work();
    return processor_seconds() - start;
}

/// Ratio of each cell, by series: a benchmark that is run again for more iterations overwrites its
/// own.
using Summary = std::map<std::string, std::map<std::string, double>>;

constexpr std::int64_t passes = 4;

void linear(benchmark::State& state, const Cell& cell, bool kinds, Summary& summary)
{
    const auto source = source_of(cell.pattern, passes);
    std::int64_t misses = 0;
    std::int64_t reads = 0;
    std::int64_t plain_misses = 0;
    double plain = 0;
    {
        const std::vector<std::uint64_t> addresses = addresses_of(*source, cell.block);
        for (int repetition = 0; repetition < 3; ++repetition) {
            const double one = seconds([&] {
                plain_misses =
                    plain_lru_misses(addresses, static_cast<std::uint64_t>(cell.l1), 64, 4);
            });
            plain = repetition == 0 ? one : std::min(plain, one);
        }
    }
    double best = 0;
    for (auto _ : state) {
        const double one = seconds([&] {
            const SimulationResult result = simulate(*source, options_for(cell, 0, false, kinds));
            misses = result.l1.misses();
            reads = result.l1.texel_reads;
        });
        best = best == 0 ? one : std::min(best, one);
    }
    if (misses != plain_misses) {
        state.SkipWithError("misses differ from those of the plain simulator");
        return;
    }
    const auto millions = static_cast<double>(reads) / 1e6;
    state.counters["Mreads/s"] = millions / best;
    state.counters["plain_Mreads/s"] = millions / plain;
    state.counters["times_plain"] = plain / best;
    state.counters["miss_ratio"] = static_cast<double>(misses) / static_cast<double>(reads);
    summary[kinds ? "linear, kinds of misses told apart: times the plain simulator"
                  : "linear: times the plain simulator"]
           [cell.pattern + layout_text(cell.block) + std::to_string(cell.l1)] = plain / best;
}

void jumping(benchmark::State& state, const Cell& cell, std::int64_t l2, bool kinds,
             Summary& summary)
{
    constexpr std::int64_t many = 400;
    const auto few_source = source_of(cell.pattern, passes);
    const auto source = source_of(cell.pattern, many);
    SimulationResult walked;
    const double linear_time =
        seconds([&] { walked = simulate(*few_source, options_for(cell, l2, false, kinds)); }) *
        (many / passes);
    double few = 0;
    for (int repetition = 0; repetition < 5; ++repetition) {
        SimulationResult jumped;
        const double one =
            seconds([&] { jumped = simulate(*few_source, options_for(cell, l2, true, kinds)); });
        few = few == 0 ? one : std::min(few, one);
        if (jumped.l1 != walked.l1 || jumped.behind != walked.behind) {
            state.SkipWithError("jumping changed the counts");
            return;
        }
    }
    double best = 0;
    std::int64_t simulated = 0;
    for (auto _ : state) {
        const double one = seconds([&] {
            simulated = simulate(*source, options_for(cell, l2, true, kinds)).simulated_steps;
        });
        best = best == 0 ? one : std::min(best, one);
    }
    state.counters["linear_s"] = linear_time; // 100 times that of 4 passes
    state.counters["times_linear"] = linear_time / best;
    state.counters["400_to_4_passes"] = best / few;
    state.counters["steps_simulated"] = static_cast<double>(simulated);
    summary[std::string("jumping, 400 passes") + (l2 > 0 ? ", behind an L2" : ", L1 alone") +
            (kinds ? ", kinds told apart" : "") + ": times the same without jumps"]
           [cell.pattern + layout_text(cell.block) + std::to_string(cell.l1) + std::to_string(l2)] =
               linear_time / best;
}

/// What looking for repetition costs where there is none: the victims are random.
void in_vain(benchmark::State& state, const Cell& cell, std::int64_t l2, Summary& summary)
{
    const auto source = source_of(cell.pattern, passes);
    const auto options = [&](bool jump) {
        SimulationOptions o = options_for(cell, l2, jump, false);
        o.machine.l1().geometry.replacement = ReplacementKind::random;
        return o;
    };
    double walked = 0;
    double looked = 0;
    for (auto _ : state) {
        for (const bool jump : {false, true}) {
            const double one =
                seconds([&] { benchmark::DoNotOptimize(simulate(*source, options(jump))); });
            double& best = jump ? looked : walked;
            best = best == 0 ? one : std::min(best, one);
        }
    }
    state.counters["times_linear"] = looked / walked;
    summary["time with jumping where nothing repeats, over that without"]
           [cell.pattern + layout_text(cell.block) + std::to_string(l2)] = looked / walked;
}

} // namespace

int main(int argc, char** argv)
{
    Summary summary;
    for (const bool kinds : {false, true}) {
        for (const auto& [pattern, block] :
             {std::pair{"row", 1}, {"row", 2}, {"blk4", 1}, {"tile8", 4}, {"rand", 4}}) {
            for (const std::int64_t l1 : {1024, 8192}) {
                const Cell cell{pattern, block, l1};
                const std::string name = std::string("linear/") + pattern + "-" +
                                         layout_text(block) + "/L1:" + std::to_string(l1) +
                                         (kinds ? "/kinds" : "");
                benchmark::RegisterBenchmark(name.c_str(), [=, &summary](benchmark::State& state) {
                    linear(state, cell, kinds, summary);
                })->Unit(benchmark::kMillisecond);
            }
        }
    }
    for (const auto& [pattern, block] :
         {std::pair{"row", 1}, {"row", 2}, {"blk4", 1}, {"tile8", 4}}) {
        for (const std::int64_t l2 : {0, 128 * 1024, 1024 * 1024}) {
            for (const std::int64_t l1 : {1024, 8192}) {
                const Cell cell{pattern, block, l1};
                for (const bool kinds : {false, true}) {
                    const std::string name = std::string("jump/") + pattern + "-" +
                                             layout_text(block) + "/L1:" + std::to_string(l1) +
                                             "/L2:" + std::to_string(l2) + (kinds ? "/kinds" : "");
                    benchmark::RegisterBenchmark(name.c_str(), [=,
                                                                &summary](benchmark::State& state) {
                        jumping(state, cell, l2, kinds, summary);
                    })->Unit(benchmark::kMillisecond);
                }
            }
        }
    }
    for (const auto& [pattern, block] :
         {std::pair{"row", 1}, {"row", 2}, {"blk4", 1}, {"tile8", 4}}) {
        for (const std::int64_t l2 : {0, 128 * 1024}) {
            const Cell cell{pattern, block, 1024};
            const std::string name = std::string("no-repetition/") + pattern + "-" +
                                     layout_text(block) + "/L2:" + std::to_string(l2);
            benchmark::RegisterBenchmark(name.c_str(), [=, &summary](benchmark::State& state) {
                in_vain(state, cell, l2, summary);
            })->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    for (const auto& [name, ratios] : summary) {
        double log_sum = 0;
        for (const auto& [cell, ratio] : ratios) {
            log_sum += std::log(ratio);
        }
        const auto [least, most] =
            std::minmax_element(ratios.begin(), ratios.end(),
                                [](const auto& a, const auto& b) { return a.second < b.second; });
        std::printf("%s: %.4g (geometric mean of %zu cells, from %.4g to %.4g)\n", name.c_str(),
                    std::exp(log_sum / static_cast<double>(ratios.size())), ratios.size(),
                    least->second, most->second);
    }
    return 0;
}
