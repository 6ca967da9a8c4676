#pragma once

#include "workbench/plots/result_table.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/study/judge_choices.hpp"

#include <string>

namespace texelscope::workbench::report {

/// A cross-check and what comes of it: what the command line, the window, the report and Python
/// show.
struct JudgedConfigurations {
    CrosscheckResult crosscheck;
    JudgeChoices choices;
};

/// What became of the output: "passed", else why there is none or it did not.
[[nodiscard]] std::string output_text(const CrosscheckRow& row);

/// "configuration", "predicted_ns", "simulated_ns", "measured_ns" (empty: it did not run),
/// "output".
[[nodiscard]] ResultTable crosscheck_table(const CrosscheckResult& crosscheck);

} // namespace texelscope::workbench::report
