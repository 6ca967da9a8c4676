#pragma once

#include "workbench/plots/result_table.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/study/judge_choices.hpp"

#include <string>

namespace texelscope::workbench::report {

/// A cross-check with the judges' choices: what the command line, the window, the report and Python
/// show.
struct JudgedConfigurations {
    CrosscheckResult crosscheck;
    JudgeChoices choices;
};

/// The result of checking the output: "passed", else why it failed or why there is no output.
[[nodiscard]] std::string output_text(const CrosscheckRow& row);

/// A table with a row for each row of the cross-check. Columns: "configuration", "predicted_ns",
/// "simulated_ns", "measured_ns" (empty where the kernel did not run), "output".
[[nodiscard]] ResultTable crosscheck_table(const CrosscheckResult& crosscheck);

} // namespace texelscope::workbench::report
