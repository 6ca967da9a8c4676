#pragma once

#include "workbench/store/stored_result.hpp"

#include <vector>

namespace texelscope::workbench::store {

/// The clock that a result's samples were measured at, over the highest of a device.
struct ResultClock {
    double clock = 1;   ///< 1, too, where no reference kernel told it
    bool steady = true; ///< false: it changed between the samples

    /// Whether the result can be compared with others at the highest clock.
    [[nodiscard]] bool highest() const { return steady && clock > 1 / ReferenceTimes::one_clock; }
};

/// The clock of each result, by the reference kernel (StoredResult::reference): what is fastest
/// among the steady results of the same device and driver is the highest clock.
[[nodiscard]] std::vector<ResultClock> result_clocks(const std::vector<StoredResult>& results);

/// One result of each kernel on each device, in the order of the first of each: of several that are
/// ok, those at the highest clock together, with all of their samples; where none is, the one at
/// the highest that there was. Whose clock did not hold counts only where there is no other.
[[nodiscard]] std::vector<StoredResult> at_highest_clock(const std::vector<StoredResult>& results);

} // namespace texelscope::workbench::store
