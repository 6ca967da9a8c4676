#pragma once

#include "experiments/shared/experiment_result.hpp"
#include "experiments/work_groups/work_group_times.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::experiments {

// Jiang et al. (APSys 2020), section 4.1 with equation 8 and table 3: how good the work-group sizes
// are that follow a rule.

/// Scores of the rules on one kernel and device.
struct WorkGroupScores {
    std::string kernel;
    std::string device;
    struct Rule {
        std::optional<double> score; ///< S_r; nothing where no size follows the rule
        std::int64_t following = 0;  ///< M
    };
    std::array<Rule, all_work_group_rules.size()> rules;
    double any = 0; ///< the same of all sizes: what a size taken at random is worth
    /// Of the sizes that follow the most rules, which select_by_rules() chooses from.
    double picked = 0;
};
[[nodiscard]] WorkGroupScores work_group_scores(const WorkGroupTimes& times);

/// The paper's score over its devices; nothing for another kernel.
[[nodiscard]] std::optional<double> paper_score(const std::string& kernel, WorkGroupRule rule);

/// What the paper says of table 3, decided by the data.
[[nodiscard]] std::vector<Finding>
work_group_score_findings(const std::vector<WorkGroupScores>& scores);

[[nodiscard]] PanelPlot work_group_score_plot(const std::vector<WorkGroupScores>& scores);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_work_group_scores;

} // namespace texelscope::experiments
