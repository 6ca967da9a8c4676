#pragma once

#include "workbench/study/crosscheck.hpp"
#include "workbench/study/kernel_facts.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// What a judge would take of the configurations of a cross-check.
struct JudgeChoice {
    Judge judge = Judge::model;
    std::size_t row = 0; ///< the first by order_by()
    /// Rows to which the judge gives at most `near` times its time; itself is one of them.
    std::size_t alike = 1;
    static constexpr double near = 1.01; ///< no judge is so exact: they are as good as tied
    std::optional<std::size_t> second;   ///< the row after it
    /// Its time over that of the best, minus 1: on the device, or in simulation if nothing ran.
    std::optional<double> over_best;
};

/// What each judge would take, and why.
struct JudgeChoices {
    /// In the order of Judge; judges without a right time are left out.
    std::vector<JudgeChoice> by_judge;
    std::optional<std::size_t> in_use;        ///< row of the configuration in use
    std::map<std::size_t, KernelFacts> facts; ///< of every row that is named here

    /// The judge's; null where it has none.
    [[nodiscard]] const JudgeChoice* of(Judge judge) const;
};

/// Simulates what is chosen, what comes second and what is in use once more. Throws Interrupted
/// when `stop` answers true.
[[nodiscard]] JudgeChoices judge_choices(const Operator& op, const DeviceProfile& device,
                                         const Calibration& model,
                                         const CrosscheckResult& crosscheck,
                                         const std::optional<Schedule>& in_use,
                                         const Progress& progress = {}, const StopToken& stop = {});

/// What sets a choice apart from another row, in a line. Both must have facts.
[[nodiscard]] std::string apart_text(const JudgeChoices& choices, std::size_t row,
                                     std::size_t from);

} // namespace texelscope::workbench::study
