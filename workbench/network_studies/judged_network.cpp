#include "workbench/network_studies/judged_network.hpp"

#include "base/error.hpp"
#include "base/progress.hpp"
#include "model/statistics/kendall.hpp"
#include "workbench/network_studies/arena_search.hpp"
#include "workbench/network_studies/memory_budget.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace texelscope::workbench::network_studies {
// In this order: plan, tune, simulate, run. Each judge's times are kept by kernel of the plan, so
// that tables and plots can set them side by side.
namespace {

void plan(JudgedNetwork& network, const DeviceProfile& profile, const JudgingOptions& options,
          const Progress& progress, const StopToken& stop)
{
    network.profile = profile.name;
    if (options.arena && options.search.candidates > 0) {
        throw bad_input("candidates of tuning lie where they like, not in an arena",
                        network.graph.name, "leave out --arena or --tune");
    }
    network.planned = best_plan(network.graph, profile, options.search, progress, stop);
    if (options.arena) {
        use_arena(network.planned, *options.arena, profile, options.search, progress, stop);
    }
}

/// What comes between a plan and its run: tuning, if there are candidates, and the simulation.
void tune_and_simulate(JudgedNetwork& network, const DeviceProfile& profile,
                       const JudgingOptions& options, const devices::OpenClDevice* on,
                       const Progress& progress, const StopToken& stop)
{
    if (options.search.candidates > 0) {
        constexpr int samples = 5;
        KernelTimer timer = on != nullptr ? time_on(*on, samples, stop)
                                          : time_on(profile, options.most_accesses, stop);
        // Known times are taken from the store, so that tuning that was interrupted goes on.
        std::optional<ResultStore> store;
        if (!options.store.empty()) {
            timer = remembering(std::move(timer), store.emplace(options.store), options.program);
        }
        network.tuned = tune_plan(network.planned, profile, timer, progress, stop);
    }
    if (options.simulate) {
        network.simulated =
            simulate_network(network.planned.plan, profile, options.most_accesses, progress, stop);
    }
}

} // namespace

bool JudgedNetwork::has(Judge judge) const
{
    return judge == Judge::model       ? !planned.predicted.empty()
           : judge == Judge::simulator ? !simulated.empty()
                                       : measured.has_value();
}

std::vector<Judge> JudgedNetwork::judges() const
{
    std::vector<Judge> all;
    std::ranges::copy_if(all_judges, std::back_inserter(all),
                         [&](Judge judge) { return has(judge); });
    return all;
}

Judge JudgedNetwork::last_judge() const
{
    const std::vector<Judge> all = judges();
    return all.empty() ? Judge::model : all.back();
}

std::optional<double> JudgedNetwork::time(Judge judge, std::size_t kernel) const
{
    if (!has(judge)) {
        return std::nullopt;
    }
    if (judge == Judge::model) {
        return planned.predicted[kernel].value;
    }
    if (judge == Judge::device) {
        return measured->kernel_ns[kernel];
    }
    const auto& simulated_time = simulated[kernel].time;
    return simulated_time ? std::optional(simulated_time->value) : std::nullopt;
}

std::vector<std::optional<double>> JudgedNetwork::times(Judge judge) const
{
    std::vector<std::optional<double>> all;
    for (std::size_t k = 0; k < planned.plan.kernels.size(); ++k) {
        all.push_back(time(judge, k));
    }
    return all;
}

std::optional<double> JudgedNetwork::total_of(Judge judge,
                                              const std::function<bool(std::size_t)>& belongs) const
{
    double sum = 0;
    for (std::size_t k = 0; k < planned.plan.kernels.size(); ++k) {
        const std::optional<double> of_kernel = time(judge, k);
        if (!of_kernel) {
            return std::nullopt;
        }
        // A kernel that runs only in some runs counts by its share.
        sum += belongs(k) ? planned.plan.kernels[k].share() * *of_kernel : 0;
    }
    return sum;
}

std::optional<double> JudgedNetwork::total(Judge judge) const
{
    return total_of(judge, [](std::size_t) { return true; });
}

std::optional<double> JudgedNetwork::total(Judge judge, networks::Pass of) const
{
    return training ? total_of(judge, [&](std::size_t kernel) { return pass(kernel) == of; })
                    : std::nullopt;
}

networks::Pass JudgedNetwork::pass(std::size_t kernel) const
{
    return training->passes[planned.plan.kernels[kernel].nodes.front()];
}

const networks::Node& JudgedNetwork::layer(std::size_t kernel) const
{
    return graph.nodes[training->layer_of[planned.plan.kernels[kernel].nodes.front()]];
}

std::optional<double> JudgedNetwork::agreement(Judge a, Judge b) const
{
    const auto of_a = times(a);
    const auto of_b = times(b);
    std::vector<double> left;
    std::vector<double> right;
    for (std::size_t k = 0; k < of_a.size(); ++k) {
        if (of_a[k] && of_b[k]) {
            left.push_back(*of_a[k]);
            right.push_back(*of_b[k]);
        }
    }
    return kendall_tau_b(left, right);
}

JudgedNetwork judge_network(networks::Graph graph, const DeviceProfile& profile,
                            const JudgingOptions& options, const devices::OpenClDevice* on,
                            const networks::TensorNumbers& inputs, const Progress& progress,
                            const StopToken& stop)
{
    JudgedNetwork network;
    network.graph = std::move(graph);
    plan(network, profile, options, progress, stop);
    tune_and_simulate(network, profile, options, on, progress, stop);
    if (on != nullptr) {
        base::tell(progress, "running on " + on->info().name, 0, 1);
        network.measured = measure_network(network.graph, network.planned.plan, inputs, *on,
                                           options.run, options.check, stop);
    }
    return network;
}

JudgedNetwork judge_training(networks::TrainingStep step, const DeviceProfile& profile,
                             const JudgingOptions& options, const devices::OpenClDevice* on,
                             const Progress& progress, const StopToken& stop)
{
    JudgedNetwork network;
    network.memory_budget = options.memory_budget;
    // The plan is part of finding a step that fits, as only a plan tells how much memory it takes.
    const auto planned = [&](const networks::TrainingStep& tried) {
        network.graph = tried.graph;
        plan(network, profile, options, progress, stop);
        return network.planned.plan;
    };
    if (options.memory_budget) {
        BudgetedStep fitting = within_budget(step, *options.memory_budget, planned);
        network.blocks = fitting.blocks;
        network.blocks_again = fitting.again;
        step = std::move(fitting.step);
    } else {
        (void)planned(step);
    }
    network.training = std::move(step);
    tune_and_simulate(network, profile, options, on, progress, stop);
    if (on != nullptr) {
        TrainedNetwork trained =
            train_network(*network.training, network.planned.plan, *options.training, *on,
                          options.run, options.check, progress, stop);
        if (!trained.measured.samples.empty()) { // otherwise all steps were done before
            network.measured = std::move(trained.measured);
        }
        network.trained = std::move(trained.state);
    }
    return network;
}

} // namespace texelscope::workbench::network_studies
