#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/study/kernel_facts.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// The configuration that a judge would choose from the rows of a cross-check.
struct JudgeChoice {
    Judge judge = Judge::model;
    std::size_t row = 0; ///< the first by order_by()
    /// Rows to which the judge gives at most `near` times its time; itself is one of them.
    std::size_t alike = 1;
    static constexpr double near = 1.01; ///< no judge is exact to a hundredth
    std::optional<std::size_t> second;   ///< the judge's second choice
    /// The choice's time over the best row's, minus 1, both measured on the device; simulated where
    /// the device ran no row.
    std::optional<double> over_best;
};

/// What each judge would choose, and the facts that explain why.
struct JudgeChoices {
    /// In the order of Judge; judges without a right time are left out.
    std::vector<JudgeChoice> by_judge;
    std::optional<std::size_t> in_use;        ///< row of the configuration that the user runs now
    std::map<std::size_t, KernelFacts> facts; ///< by row, of every row that is named here

    /// The judge's; null where it has none.
    [[nodiscard]] const JudgeChoice* of(Judge judge) const;
};

/// Looks up each judge's choice, and collects the facts of every chosen and second row and of
/// `in_use`: each of these rows is simulated once more. Throws Interrupted when `stop` answers
/// true.
[[nodiscard]] JudgeChoices judge_choices(const Operator& op, const DeviceProfile& device,
                                         const Calibration& model,
                                         const CrosscheckResult& crosscheck,
                                         const std::optional<Schedule>& in_use,
                                         const Progress& progress = {}, const StopToken& stop = {});

/// In a line, how the kernel of one row differs from that of the row `from`. Both must be in
/// `choices.facts`.
[[nodiscard]] std::string apart_text(const JudgeChoices& choices, std::size_t row,
                                     std::size_t from);

} // namespace texelscope::workbench::study
