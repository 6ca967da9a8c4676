#pragma once

#include "cli/command.hpp"
#include "workbench/machines/machine_set.hpp"
#include "workbench/machines/over_machines.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/tuning/ranked_rows.hpp"

#include <string>
#include <vector>

namespace texelscope::cli {

/// What is said of something over a set of machines: text, and members of the JSON.
struct OverMachinesOutput {
    std::string text;
    ordered_json json;
};

/// `predict`: the time of one configuration.
[[nodiscard]] OverMachinesOutput predicted_over_machines(const MachineSet& set,
                                                         const DeviceProfile& device,
                                                         const Operator& op,
                                                         const Schedule& schedule);
/// `tune`: of each row its time, and on how many machines it is the best of the rows. `robust`: the
/// rows are put in the order of their mean loss over the machines, at most `top` of them (0: all).
[[nodiscard]] OverMachinesOutput
tuned_over_machines(const MachineSet& set, const DeviceProfile& device, const Operator& op,
                    std::vector<RankedRow>& rows, bool robust, std::size_t top);
/// `crosscheck`: of each row its time, and how many measured times are inside of their intervals.
[[nodiscard]] OverMachinesOutput crosschecked_over_machines(const MachineSet& set,
                                                            const DeviceProfile& device,
                                                            const Operator& op,
                                                            const CrosscheckResult& result);
/// `devices NAME`: the values that were identified with their ranges, and those that stay open.
[[nodiscard]] OverMachinesOutput described_machines(const MachineSet& set);

} // namespace texelscope::cli
