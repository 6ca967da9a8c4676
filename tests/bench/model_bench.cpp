// How fast choices are made: the timed simulator, samples of it, the bottleneck model, each against
// the slower one, measured in the same run.

#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "sim/sampled_time.hpp"
#include "traces/launch_source.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/space/searched_parts.hpp"
#include "workbench/study/nest_read_stream.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/model_descent.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace texelscope::workbench::tuning;

struct ModelCase {
    std::string op;
    std::string shape;
};

/// A random configuration of the space, simulated on adreno-740.
struct Drawn {
    Launch launch;
    SimulationOptions options;
};

std::vector<Drawn> draw(const ModelCase& c, int count)
{
    const DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator(c.op, c.shape);
    const ConfigurationSpace space = configuration_space(op, device);
    std::mt19937_64 random(1);
    std::vector<Drawn> drawn;
    for (int i = 0; i < count; ++i) {
        const LoopNest nest =
            loop_nest(op, space.at(static_cast<std::int64_t>(
                              uniform_below(random, static_cast<std::uint64_t>(space.size())))));
        Drawn& one = drawn.emplace_back(launch_of(nest), options_for(nest, device));
        one.options.mode.timed = true;
        one.options.mode.miss_kinds = false;
    }
    return drawn;
}

template <class Work>
double seconds(const Work& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Without observers against with one.
void unwatched(benchmark::State& state, const ModelCase& c)
{
    const std::vector<Drawn> drawn = draw(c, 8);
    SimulationObserver observer;
    const std::vector<SimulationObserver*> observers{&observer};
    double fast = 0, slow = 0;
    std::int64_t lookups = 0;
    for (auto _ : state) {
        for (const Drawn& one : drawn) {
            const auto source = make_trace_source(one.launch);
            fast += seconds([&] { lookups += simulate(*source, one.options).l1.lookups; });
            slow += seconds(
                [&] { benchmark::DoNotOptimize(simulate(*source, one.options, observers)); });
        }
    }
    state.counters["times_watched"] = slow / fast;
    state.counters["ns_per_lookup"] = 1e9 * fast / static_cast<double>(lookups);
}

/// Samples against whole launches; and how far off they are.
void sampled(benchmark::State& state, const ModelCase& c, std::int64_t most_accesses)
{
    const std::vector<Drawn> drawn = draw(c, 40);
    double fast = 0, slow = 0;
    std::vector<double> errors;
    for (auto _ : state) {
        errors.clear();
        for (const Drawn& one : drawn) {
            double estimate = 0, truth = 0;
            fast += seconds([&] {
                estimate = sampled_time(one.launch, one.options, most_accesses).time.value;
            });
            slow += seconds([&] {
                truth = simulate(*make_trace_source(one.launch), one.options)
                            .time(one.options.machine)
                            ->value;
            });
            errors.push_back(std::abs(estimate / truth - 1));
        }
    }
    std::sort(errors.begin(), errors.end());
    state.counters["times_whole"] = slow / fast;
    state.counters["median_error_percent"] = 100 * errors[errors.size() / 2];
    state.counters["error_of_90_percent"] = 100 * errors[errors.size() * 9 / 10];
}

/// The whole space by the model, against one sample of a simulation for each configuration.
void ranked(benchmark::State& state, const ModelCase& c)
{
    const DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator(c.op, c.shape);
    const ConfigurationSpace space = configuration_space(op, device);
    const std::vector<Drawn> drawn = draw(c, 40);
    double model = 0, simulator = 0;
    std::int64_t rounds = 0;
    for (auto _ : state) {
        model += seconds([&] {
            benchmark::DoNotOptimize(
                rank_by_model({op, device, space, {}, ModelVariant::bottleneck}, 1));
        });
        simulator += seconds([&] {
            for (const Drawn& one : drawn) {
                benchmark::DoNotOptimize(sampled_time(one.launch, one.options));
            }
        });
        ++rounds;
    }
    const auto configurations = static_cast<double>(space.size());
    state.counters["us_per_configuration"] =
        1e6 * model / static_cast<double>(rounds) / configurations;
    state.counters["ms_all"] = 1e3 * model / static_cast<double>(rounds);
    state.counters["times_simulator"] =
        simulator / static_cast<double>(drawn.size()) * configurations / model;
}

/// One prediction for a kernel whose reads are known, as when a shape's work-groups are tried.
void predicted(benchmark::State& state, const ModelCase& c)
{
    const DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator(c.op, c.shape);
    const ConfigurationSpace space = configuration_space(op, device);
    const LoopNest nest = loop_nest(op, schedule_of(space.kernel(0), {}));
    const SimulationOptions options = options_for(nest, device);
    const ReadStream stream = read_stream(nest, options);
    const WorkGrid grid{.tiles = {nest.groups[0], nest.groups[1], nest.groups[2]},
                        .group = {16, 8, 1},
                        .warp = {8, 8}};
    for (auto _ : state) {
        benchmark::DoNotOptimize(bottleneck_cost(stream, grid, options));
    }
}

/// The first 64 of the space of all parts by descent, with making the space.
void searched(benchmark::State& state, const ModelCase& c)
{
    const DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator(c.op, c.shape);
    std::int64_t size = 0, evaluated = 0;
    const Calibration none;
    for (auto _ : state) {
        const ConfigurationSpace space =
            configuration_space(op, device, {.parts = parse_parts("all")});
        const Ranking ranking =
            rank_by_descent({op, device, space, none, ModelVariant::bottleneck}, 64);
        size = space.size();
        evaluated = ranking.evaluated;
    }
    state.counters["configurations"] = static_cast<double>(size);
    state.counters["evaluated"] = static_cast<double>(evaluated);
}

/// What descent finds in a smaller space of many parts, over its best; geometric mean and worst
/// over devices.
void descent_quality(benchmark::State& state, const ModelCase& c)
{
    const Operator op = parse_operator(c.op, c.shape);
    const Calibration none;
    double sum = 0, worst = 1, fast = 0, slow = 0;
    int count = 0;
    for (auto _ : state) {
        for (const char* name :
             {"adreno-640", "adreno-740", "mali-g77", "mali-g710", "nvidia-h100"}) {
            const DeviceProfile device = find_profile(name);
            SpaceOptions options{.parts = "ATWGLURV"};
            options.patterns = {AccessPattern::column, AccessPattern::block4, AccessPattern::row};
            const ConfigurationSpace space = configuration_space(op, device, options);
            const ModelCosts costs(op, device, space, none, ModelVariant::bottleneck);
            double best = 0, found = 0;
            slow += seconds([&] { best = rank_by_model(costs, 1).best.front().cost.value; });
            fast += seconds([&] { found = rank_by_descent(costs, 1).best.front().cost.value; });
            sum += std::log(found / best);
            worst = std::max(worst, found / best);
            ++count;
        }
    }
    state.counters["over_best"] = std::exp(sum / count);
    state.counters["worst_over_best"] = worst;
    state.counters["times_whole"] = slow / fast;
}

} // namespace

int main(int argc, char** argv)
{
    for (const ModelCase& c :
         {ModelCase{"matmul", "256,256,256"}, ModelCase{"conv2d", "1,32,32,64,64,3,3,1"},
          ModelCase{"dwconv2d", "1,64,64,64,3,3,1"}, ModelCase{"softmax", "1024,1024"}}) {
        const std::string name = c.op + " " + c.shape;
        const auto add = [&](const std::string& kind, auto work) {
            benchmark::RegisterBenchmark((kind + "/" + name).c_str(), work)
                ->Unit(benchmark::kMillisecond);
        };
        add("unwatched", [c](benchmark::State& state) { unwatched(state, c); });
        add("sampled-6000", [c](benchmark::State& state) { sampled(state, c, 6'000); });
        add("sampled-20000", [c](benchmark::State& state) { sampled(state, c, 20'000); });
        add("ranked", [c](benchmark::State& state) { ranked(state, c); });
        add("searched", [c](benchmark::State& state) { searched(state, c); });
        add("descent-quality", [c](benchmark::State& state) { descent_quality(state, c); });
        benchmark::RegisterBenchmark(("predicted/" + name).c_str(), [c](benchmark::State& state) {
            predicted(state, c);
        })->Unit(benchmark::kMicrosecond);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
