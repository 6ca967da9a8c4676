// How long whole networks take to plan and to simulate: exact counts by jumps against access by
// access, and times from samples, each measured in the same run. (tools/check_onnxruntime has their
// kernels on a CPU beside ONNX Runtime.)

#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/training/training_step.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/network_simulation.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

namespace {

using namespace texelscope;
using namespace texelscope::workbench::network_studies;

template <class Work>
double seconds(const Work& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

networks::Graph graph_of(const std::string& name)
{
    return networks::simplified(networks::find_model(name)->make(1, 1));
}

/// Schedules and layouts of all kernels; seconds, and configurations in the spaces that were
/// searched for one second.
void planned(benchmark::State& state, const std::string& name, const std::string& profile)
{
    const networks::Graph graph = graph_of(name);
    const DeviceProfile device = find_profile(profile);
    double time = 0;
    double searched = 0;
    for (auto _ : state) {
        time +=
            seconds([&] { searched += static_cast<double>(best_plan(graph, device).searched); });
    }
    state.counters["seconds"] = time / static_cast<double>(state.iterations());
    state.counters["configurations_per_second"] = searched / time;
}

/// The step of training likewise, forward, backward and weights: seconds, kernels, and how many
/// times as long as the network alone.
void step_planned(benchmark::State& state, const std::string& name, const std::string& profile)
{
    const networks::Graph graph =
        networks::simplified(networks::find_model(name)->make(1, 1), false);
    const networks::TrainingStep step = networks::training_step(graph, {});
    const DeviceProfile device = find_profile(profile);
    double alone = 0;
    double time = 0;
    for (auto _ : state) {
        alone += seconds([&] { benchmark::DoNotOptimize(best_plan(graph, device)); });
        time += seconds([&] {
            state.counters["kernels"] =
                static_cast<double>(best_plan(step.graph, device).plan.kernels.size());
        });
    }
    state.counters["seconds"] = time / static_cast<double>(state.iterations());
    state.counters["times_inference"] = time / alone;
}

/// Hits and misses of the whole sequence with jumps against without, and with a time of each kernel
/// from a sample.
void simulated(benchmark::State& state, const std::string& name, const std::string& profile)
{
    const DeviceProfile device = find_profile(profile);
    DeviceProfile walking = device;
    walking.simulation.mode.jump = false;
    const networks::Plan plan = best_plan(graph_of(name), device).plan;
    double by_jumps = 0, by_steps = 0, in_time = 0;
    for (auto _ : state) {
        by_jumps += seconds([&] { benchmark::DoNotOptimize(count_network(plan, device)); });
        by_steps += seconds([&] { benchmark::DoNotOptimize(count_network(plan, walking)); });
        in_time +=
            seconds([&] { benchmark::DoNotOptimize(simulate_network(plan, device, 20'000)); });
    }
    const auto rounds = static_cast<double>(state.iterations());
    state.counters["exact_seconds"] = by_jumps / rounds;
    state.counters["times_without_jumps"] = by_steps / by_jumps;
    state.counters["with_times_seconds"] = in_time / rounds;
}

const char* const adreno = "adreno-740";
const char* const mali = "mali-g77";

BENCHMARK_CAPTURE(planned, resnet_18_adreno, "resnet-18", adreno)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planned, resnet_18_mali, "resnet-18", mali)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planned, mobilenet_v2_adreno, "mobilenet-v2", adreno)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step_planned, resnet_18_adreno, "resnet-18", adreno)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step_planned, mlp_adreno, "mlp-784-256-128-16", adreno)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulated, resnet_18_adreno, "resnet-18", adreno)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulated, resnet_18_mali, "resnet-18", mali)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulated, mobilenet_v2_adreno, "mobilenet-v2", adreno)
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
