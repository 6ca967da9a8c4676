#pragma once

#include "workbench/explain/explained_kernel.hpp"
#include "workbench/plots/result_table.hpp"
#include "workbench/report/json_values.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::explain {

/// What was explained: of which kernel, launched how.
struct ExplainedLaunch {
    std::string file;
    TracedLaunch launch;
    std::vector<std::string> arguments; ///< as they can be typed; empty where a trace has them
    std::string trace;                  ///< the file; empty: it was run for this
    std::int64_t local_bytes = 0;
};

/// The members of `explain` in docs/reference/json.md, except schema and version.
[[nodiscard]] report::ordered_json explain_json(const ExplainedLaunch& launch,
                                                const std::vector<ExplainedKernel>& devices);

/// A row for each device: time, registers, warps, spills, what bounds it, the best change.
[[nodiscard]] plots::ResultTable devices_table(const std::vector<ExplainedKernel>& devices);
/// A row for each argument that is read.
[[nodiscard]] plots::ResultTable reads_table(const ExplainedKernel& kernel);
/// A row for each change that is faster (least_gain).
[[nodiscard]] plots::ResultTable changes_table(const ExplainedKernel& kernel);
/// Lines about one device, in whole sentences: registers, occupancy, what bounds it.
[[nodiscard]] std::vector<std::string> facts(const ExplainedKernel& kernel);
/// What was tried where nothing is faster, and what was not tried, a sentence each.
[[nodiscard]] std::vector<std::string> remarks(const ExplainedKernel& kernel);
/// What the kernel executed, in a sentence.
[[nodiscard]] std::string executed_words(const TracedLaunch& launch);

/// All of it as a page with heat maps, which needs no other file.
[[nodiscard]] std::string explain_page(const ExplainedLaunch& launch,
                                       const std::vector<ExplainedKernel>& devices,
                                       const std::string& program_text);

} // namespace texelscope::workbench::explain
