#pragma once

#include "devices/targets/target.hpp"
#include "experiments/shared/experiment_device.hpp"
#include "workbench/network_studies/judged_network.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// The study of training on phones (PerCom workshops 2022), sections IV-B and IV-C with figure 4:
// how long a step of its four networks takes on CPUs and GPUs, and how much of it is copies between
// host and device.

/// Tensors that are copied in a step.
struct StepCopies {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::optional<double> ns = {}; ///< of all, one after the other; nothing: not measured
};

/// A step of training one of the networks, on one device.
struct CopiedStep {
    std::string network;
    std::string device;
    bool measured = false; ///< else simulated, where copies have no price
    bool cpu = false;
    std::int64_t kernels = 0;
    double forward_ns = 0, backward_ns = 0, update_ns = 0; ///< of the kernels alone
    StepCopies step; ///< the batch and the weights to the device, the gradients back
    /// Of every product of matrices what it reads to the device, and what it makes back.
    StepCopies products;

    /// Forward and backward pass, which is what the study calls training.
    [[nodiscard]] double computing_ns() const { return forward_ns + backward_ns; }
    /// Of computing and copies together, in [0, 1]; nothing where copies were not measured.
    [[nodiscard]] std::optional<double> computing_share(const StepCopies& copies) const;
    /// A step with the copies; on a CPU, whose data lie where they are computed, without.
    [[nodiscard]] std::optional<double> step_ns() const;
    /// What a copy of a step would have to take on average for copies to be that share of it, in
    /// (0, 1).
    [[nodiscard]] double copy_ns_at(double share) const;
};

/// What is copied for one step, with the sizes that the tensors have in the plan. Gradients are
/// outputs of the step.
[[nodiscard]] std::vector<Transfer> step_transfers(const networks::TrainingStep& step,
                                                   const networks::Plan& plan);
[[nodiscard]] std::vector<Transfer> product_transfers(const networks::Plan& plan);

struct CopiedStepOptions {
    std::vector<std::string> networks{"mlp-16-16", "mlp-16-16-16-16", "mlp-256-256",
                                      "mlp-784-256-128-16"};
    std::int64_t batch = 32; ///< as in the study
    std::size_t candidates = 8;
    std::int64_t accesses = 20'000; ///< of a kernel that are simulated
    std::int64_t steps = 100;       ///< that are taken on a device
    int copies = 15;                ///< of each size, of which the median counts
};
/// Tuned and simulated; on a device: tuned, run and copied there. Throws as judge_training() does.
[[nodiscard]] std::vector<CopiedStep> simulated_steps(const DeviceProfile& device,
                                                      const CopiedStepOptions& options = {},
                                                      const Progress& progress = {},
                                                      const StopToken& stop = {});
[[nodiscard]] std::vector<CopiedStep> steps_on(const OpenClDevice& on, const DeviceProfile& device,
                                               const CopiedStepOptions& options = {},
                                               const Progress& progress = {},
                                               const StopToken& stop = {});

[[nodiscard]] ResultTable copied_steps_table(const std::vector<CopiedStep>& steps);
/// Rows of that table as CSV, those of devices alone. Throws bad_input for other columns.
[[nodiscard]] std::vector<CopiedStep> parse_copied_steps(const std::string& csv,
                                                         const std::string& where);
/// The committed measurements: training-steps.csv of experiments/measurements.
[[nodiscard]] std::vector<CopiedStep> measured_steps();

/// What the study says of figure 4 and of copies, decided by the data.
[[nodiscard]] std::vector<Finding> copied_steps_findings(const std::vector<CopiedStep>& steps);

[[nodiscard]] PanelPlot copied_steps_plot(const std::vector<CopiedStep>& steps);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_training_copies;

} // namespace texelscope::experiments
