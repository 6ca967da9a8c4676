#pragma once

#include "experiments/shared/experiment_result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::devices {
class OpenClDevice;
struct RunOptions;
} // namespace texelscope::devices

namespace texelscope::experiments {

/// What an experiment runs on: the simulated device of a profile or, where there is one, a real
/// device. Spaces, limits, rules and models go by the profile in either case.
struct ExperimentDevice {
    const DeviceProfile& profile;
    const OpenClDevice* on = nullptr; ///< null: times are simulated

    [[nodiscard]] bool real() const { return on != nullptr; }
    /// Of the device whose times count: "adreno-640", or as OpenCL has it.
    [[nodiscard]] std::string name() const;
    /// "simulated" or "measured".
    [[nodiscard]] std::string word() const;
    /// "adreno-640, simulated"; of a real device that it was measured, and what the profile is for.
    [[nodiscard]] std::string text() const;
    /// Of an experiment that simulates in any case: "adreno-640, simulated", and on what it
    /// measured beside.
    [[nodiscard]] std::string both_text() const;
    /// How the times of kernels came about: `simulated`, where they are, or how often each was run.
    [[nodiscard]] std::string times_text(const std::string& simulated) const;
};
/// "simulated from samples of 2000 warp accesses".
[[nodiscard]] std::string sampled_text(std::int64_t most_accesses);

/// How kernels run on a real device for an experiment. There are hundreds of them, so that each
/// has few runs.
[[nodiscard]] RunOptions experiment_runs(const StopToken& stop = {});

/// A real device as a target of microbenchmarks; `device` must outlive it. Throws missing for a
/// CPU.
[[nodiscard]] std::unique_ptr<Target> gpu_target(const OpenClDevice& device,
                                                 const StopToken& stop = {});

/// "adreno" or "mali", of a profile's name or of a device's as OpenCL has it; empty for others.
[[nodiscard]] std::string gpu_family(const std::string& name);

/// The findings, on a real device without explanations: these tell of simulated devices.
[[nodiscard]] std::vector<Finding> decided_on(const ExperimentDevice& device,
                                              std::vector<Finding> findings);

/// The parts of an experiment of which a real device could run nothing: they are left out, and
/// named in the conditions. What a profile's own device cannot run ends the experiment.
class LeftOut {
public:
    /// The device must outlive this object.
    explicit LeftOut(const ExperimentDevice& device) : device_(device) {}

    /// Calls a part. Throws what it throws but, on a real device, bad_input.
    void run(const std::function<void()>& part);
    /// One line for each part that was left out.
    [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }
    /// Throws bad_input, with the first of the reasons, where `some` is false: all was left out.
    void require(bool some) const;

private:
    const ExperimentDevice& device_;
    std::vector<std::string> reasons_;
};
/// Adds the condition "left out", if there is a reason.
void add_left_out(ExperimentResult::Conditions& conditions,
                  const std::vector<std::string>& reasons);

} // namespace texelscope::experiments
