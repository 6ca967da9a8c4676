#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/shared/experiment_device.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/work_group_rules.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// A work-group size of a kernel, on a simulated or a real device.
struct WorkGroupTime {
    Schedule schedule;
    Nanoseconds time{0};
    /// Share of the cycles of all cores in which arithmetic of some warp is under way, lanes beyond
    /// the output too; nothing where the device's arithmetic takes no time, and of a real device.
    std::optional<double> alu_utilisation;
    std::array<bool, all_work_group_rules.size()> follows{};
    /// It was drawn from the sizes that follow this rule; nothing: from all.
    std::optional<WorkGroupRule> drawn_for;
};

/// As Jiang et al. (APSys 2020) write a size: w_x-w_y-w_z with z the channels.
[[nodiscard]] std::string group_text(const Operator& op, const WorkGroupTime& group);

struct WorkGroupTimes {
    std::string kernel;
    std::string device;
    std::int64_t space = 0; ///< sizes that there are
    std::vector<WorkGroupTime> groups;
    bool measured = false; ///< on a real device

    [[nodiscard]] const WorkGroupTime& fastest() const;
    [[nodiscard]] const WorkGroupTime& slowest() const;
};

/// The two kernels of the paper's figures 4 and 5: "Conv" and "Dw-Conv", 3x3, of 56x56x256 (as many
/// channels out) and 56x56x128.
struct RuledKernel {
    std::string name;
    Operator op;
};
[[nodiscard]] std::vector<RuledKernel> ruled_kernels();

/// How much is simulated or run.
struct WorkGroupOptions {
    /// Sizes of work_group_space(), drawn without repetition; all where there are no more.
    std::int64_t draws = 200;
    std::int64_t followers = 0;  ///< more sizes for each rule, drawn from those that follow it
    std::int64_t sample = 1'500; ///< warp accesses of each that is simulated (sampled_time())
    std::uint64_t seed = 1;
};

/// Sizes in the order of the space; what cannot run is left out. Throws bad_input where no size
/// can, Interrupted.
[[nodiscard]] WorkGroupTimes measure_work_groups(const RuledKernel& kernel,
                                                 const ExperimentDevice& device,
                                                 const WorkGroupOptions& options = {},
                                                 const Progress& progress = {},
                                                 const StopToken& stop = {});

/// "300 of 4,107 sizes, drawn": how many were measured, for the conditions of an experiment.
[[nodiscard]] std::string coverage_text(const WorkGroupTimes& times);

} // namespace texelscope::experiments
