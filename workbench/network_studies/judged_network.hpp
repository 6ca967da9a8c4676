#pragma once

#include "workbench/network_studies/network_measurement.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/network_simulation.hpp"
#include "workbench/network_studies/network_training.hpp"
#include "workbench/network_studies/network_tuning.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::network_studies {

/// What gives a kernel of a network a time.
enum class NetworkJudge { model, simulator, device };
inline constexpr NetworkJudge all_network_judges[] = {NetworkJudge::model, NetworkJudge::simulator,
                                                      NetworkJudge::device};
/// predicted, simulated, measured
[[nodiscard]] std::string to_string(NetworkJudge judge);
/// model, simulator, device
[[nodiscard]] std::string judge_name(NetworkJudge judge);
/// Pairs of judges whose orders are compared.
inline constexpr std::pair<NetworkJudge, NetworkJudge> network_judge_pairs[] = {
    {NetworkJudge::model, NetworkJudge::simulator},
    {NetworkJudge::model, NetworkJudge::device},
    {NetworkJudge::simulator, NetworkJudge::device}};

/// A network with a plan, and the judges' times of its kernels: what tables, reports, timelines and
/// the window show.
struct JudgedNetwork {
    /// The original graph; the plan's has values for conversions as well.
    networks::Graph graph;
    std::string profile; ///< name of the device that it is planned for, and simulated on
    PredictedPlan planned;
    std::vector<SimulatedKernel> simulated; ///< of each kernel; empty where nobody asked
    std::optional<NetworkMeasurement> measured;
    std::vector<TunedKernel> tuned; ///< of each kernel; empty where nobody asked
    /// The step of training that the graph is; nothing where the network is not trained.
    std::optional<networks::TrainingStep> training;
    TrainingState trained;                     ///< how far the training has come on the device
    std::optional<std::int64_t> memory_budget; ///< bytes; nothing: nobody asked
    /// Blocks of the forward pass, and how many of them are computed a second time to keep to the
    /// memory budget.
    std::size_t blocks = 0, blocks_again = 0;

    [[nodiscard]] bool has(NetworkJudge judge) const;
    /// The judges that gave times, in their order; and the last of them, which knows most of the
    /// device, or the model where there is none.
    [[nodiscard]] std::vector<NetworkJudge> judges() const;
    [[nodiscard]] NetworkJudge last_judge() const;
    /// The time of a kernel in ns; nothing where the judge has none.
    [[nodiscard]] std::optional<double> time(NetworkJudge judge, std::size_t kernel) const;
    /// The time of each kernel in ns; nothing where the judge has none.
    [[nodiscard]] std::vector<std::optional<double>> times(NetworkJudge judge) const;
    /// The time in ns of all kernels of a run, on average over runs; nothing where a kernel has
    /// none.
    [[nodiscard]] std::optional<double> total(NetworkJudge judge) const;
    /// The time in ns of the kernels of one pass of training; nothing where a kernel has none, or
    /// the network is not trained.
    [[nodiscard]] std::optional<double> total(NetworkJudge judge, networks::Pass pass) const;
    /// For a network that is trained: the pass that a kernel belongs to, and the node of the
    /// forward pass that it belongs to.
    [[nodiscard]] networks::Pass pass(std::size_t kernel) const;
    [[nodiscard]] const networks::Node& layer(std::size_t kernel) const;
    /// Kendall's tau-b of two judges, over the kernels of which both have a time; nothing where
    /// there are too few.
    [[nodiscard]] std::optional<double> agreement(NetworkJudge a, NetworkJudge b) const;

private:
    [[nodiscard]] std::optional<double>
    total_of(NetworkJudge judge, const std::function<bool(std::size_t kernel)>& belongs) const;
};

struct JudgingOptions {
    /// With candidates the plan is tuned, on the OpenCL device if there is one, else on the
    /// simulated device.
    NetworkSearchOptions search;
    /// Rules of the one buffer that holds all that kernels make; nothing: values lie apart. Cannot
    /// be combined with candidates.
    std::optional<networks::ArenaRules> arena;
    /// Warp accesses of a kernel that are simulated in time; 0: all.
    std::int64_t most_accesses = 20'000;
    /// Path of a result store that tuning reads known times from and writes new ones to; empty:
    /// none.
    std::string store;
    std::string program; ///< the program's version, for rows of that store
    bool simulate = false;
    networks::NetworkRunOptions run;
    bool check = false; ///< whether every tensor of the run on a device is checked
    /// The training run, where the graph is a step of training that runs.
    std::optional<TrainingRun> training;
    /// Bytes of memory that training may take, within an arena; blocks are computed again until it
    /// fits.
    std::optional<std::int64_t> memory_budget;
};

/// Plans a network for a device, tunes the plan, simulates it and runs it, as the options say.
/// `on`: where it runs; null: nowhere. Throws Interrupted, and bad_input as best_plan(),
/// tune_plan() and measure_network() do.
[[nodiscard]] JudgedNetwork
judge_network(networks::Graph graph, const DeviceProfile& profile, const JudgingOptions& options,
              const devices::OpenClDevice* on, const networks::TensorNumbers& inputs,
              const Progress& progress = {}, const StopToken& stop = {});

/// judge_network() for a step of training. On a device it is trained as options.training says.
/// Throws what train_network() throws as well.
[[nodiscard]] JudgedNetwork
judge_training(networks::TrainingStep step, const DeviceProfile& profile,
               const JudgingOptions& options, const devices::OpenClDevice* on,
               const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
