#include "experiments/networks/judged_network.hpp"

#include "base/error.hpp"
#include "base/progress.hpp"
#include "experiments/networks/arena_search.hpp"
#include "model/statistics/kendall.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace texelscope::experiments {

std::string to_string(NetworkJudge judge)
{
    return judge == NetworkJudge::model ? "predicted" : judge == NetworkJudge::simulator ? "simulated" : "measured";
}

std::string judge_name(NetworkJudge judge)
{
    return judge == NetworkJudge::model ? "model" : judge == NetworkJudge::simulator ? "simulator" : "device";
}

bool JudgedNetwork::has(NetworkJudge judge) const
{
    return judge == NetworkJudge::model       ? !planned.predicted.empty()
           : judge == NetworkJudge::simulator ? !simulated.empty()
                                              : measured.has_value();
}

std::vector<NetworkJudge> JudgedNetwork::judges() const
{
    std::vector<NetworkJudge> all;
    std::ranges::copy_if(all_network_judges, std::back_inserter(all), [&](NetworkJudge judge) { return has(judge); });
    return all;
}

NetworkJudge JudgedNetwork::last_judge() const
{
    const std::vector<NetworkJudge> all = judges();
    return all.empty() ? NetworkJudge::model : all.back();
}

std::optional<double> JudgedNetwork::time(NetworkJudge judge, std::size_t kernel) const
{
    if (!has(judge)) {
        return std::nullopt;
    }
    if (judge == NetworkJudge::model) {
        return planned.predicted[kernel].value;
    }
    if (judge == NetworkJudge::device) {
        return measured->kernel_ns[kernel];
    }
    const auto& simulated_time = simulated[kernel].time;
    return simulated_time ? std::optional(simulated_time->value) : std::nullopt;
}

std::vector<std::optional<double>> JudgedNetwork::times(NetworkJudge judge) const
{
    std::vector<std::optional<double>> all;
    for (std::size_t k = 0; k < planned.plan.kernels.size(); ++k) {
        all.push_back(time(judge, k));
    }
    return all;
}

std::optional<double> JudgedNetwork::total(NetworkJudge judge) const
{
    double sum = 0;
    for (const std::optional<double>& time : times(judge)) {
        if (!time) {
            return std::nullopt;
        }
        sum += *time;
    }
    return sum;
}

std::optional<double> JudgedNetwork::agreement(NetworkJudge a, NetworkJudge b) const
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

JudgedNetwork judge_network(networks::Graph graph, const DeviceProfile& profile, const JudgingOptions& options,
                            const devices::OpenClDevice* on, const networks::TensorNumbers& inputs,
                            const Progress& progress, const StopToken& stop)
{
    JudgedNetwork network;
    network.graph = std::move(graph);
    network.profile = profile.name;
    if (options.arena && options.search.candidates > 0) {
        throw bad_input("candidates of tuning lie where they like, not in an arena", network.graph.name,
                        "leave out --arena or --tune");
    }
    network.planned = best_plan(network.graph, profile, options.search, progress, stop);
    if (options.arena) {
        use_arena(network.planned, *options.arena, profile, options.search, progress, stop);
    }
    if (options.search.candidates > 0) {
        constexpr int samples = 5;
        const KernelTimer timer =
            on != nullptr ? time_on(*on, samples, stop) : time_on(profile, options.most_accesses, stop);
        network.tuned = tune_plan(network.planned, timer, progress, stop);
    }
    if (options.simulate) {
        network.simulated = simulate_network(network.planned.plan, profile, options.most_accesses, progress, stop);
    }
    if (on != nullptr) {
        base::tell(progress, "running on " + on->info().name, 0, 1);
        network.measured =
            measure_network(network.graph, network.planned.plan, inputs, *on, options.run, options.check, stop);
    }
    return network;
}

} // namespace texelscope::experiments
