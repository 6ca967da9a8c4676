#pragma once

#include "workbench/plots/result_table.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/study/judge_choices.hpp"

#include <array>
#include <optional>
#include <string>

namespace texelscope::workbench::report {

/// A cross-check and what comes of it: what the command line, the window, the report and Python show.
struct JudgedConfigurations {
    CrosscheckResult crosscheck;
    JudgeChoices choices;
};

/// How far one judge agrees with another, which is taken for the truth.
struct JudgePair {
    JudgeKind judge, truth;
    std::optional<double> kendall;
    std::optional<double> regret;

    /// Their names with something in between: "model against device".
    [[nodiscard]] std::string name(const std::string& between) const
    {
        return to_string(judge) + between + to_string(truth);
    }
};
/// Model and simulator, model and device, simulator and device.
[[nodiscard]] std::array<JudgePair, 3> judge_pairs(const CrosscheckResult& crosscheck);

/// What became of the output: "passed", else why there is none or it did not.
[[nodiscard]] std::string output_text(const CrosscheckRow& row);

/// "configuration", "predicted_ns", "simulated_ns", "measured_ns" (empty: it did not run), "output".
[[nodiscard]] ResultTable crosscheck_table(const CrosscheckResult& crosscheck);

} // namespace texelscope::workbench::report
