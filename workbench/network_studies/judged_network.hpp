#pragma once

#include "workbench/network_studies/network_measurement.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/network_simulation.hpp"
#include "workbench/network_studies/network_training.hpp"
#include "workbench/network_studies/network_tuning.hpp"
#include "workbench/study/judge.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A network with a plan, and what was said of its kernels: what tables, reports, timelines and the
/// window show.
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

    [[nodiscard]] bool has(Judge judge) const;
    /// The judges that gave times, in their order; and the last of them, which is closest to the
    /// device. The model where there is none.
    [[nodiscard]] std::vector<Judge> judges() const;
    [[nodiscard]] Judge last_judge() const;
    /// Time of a kernel in ns; nothing where the judge has none.
    [[nodiscard]] std::optional<double> time(Judge judge, std::size_t kernel) const;
    /// Times of all kernels in ns; nothing where the judge has none.
    [[nodiscard]] std::vector<std::optional<double>> times(Judge judge) const;
    /// Time of all kernels in a run, in ns on average over runs; nothing where one has none.
    [[nodiscard]] std::optional<double> total(Judge judge) const;
    /// Time of the kernels of one pass of training; nothing where one has none, or the network is
    /// not trained.
    [[nodiscard]] std::optional<double> total(Judge judge, networks::Pass pass) const;
    /// For a network that is trained, the pass and the node of the forward pass that a kernel
    /// belongs to.
    [[nodiscard]] networks::Pass pass(std::size_t kernel) const;
    [[nodiscard]] const networks::Node& layer(std::size_t kernel) const;
    /// Kendall's tau-b of two judges over the kernels to which both gave a time; nothing where
    /// there are too few.
    [[nodiscard]] std::optional<double> agreement(Judge a, Judge b) const;

private:
    [[nodiscard]] std::optional<double>
    total_of(Judge judge, const std::function<bool(std::size_t kernel)>& belongs) const;
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
