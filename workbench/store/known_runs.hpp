#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/store/stored_result.hpp"
#include "workbench/study/crosscheck.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// The runs of an operator among stored results, for crosscheck_known(). All are of one device: if
/// the results have several, of the one that the profile describes. Results that did not run are
/// left out, and of several runs of a configuration the last counts. Throws bad_input, naming
/// `where`, where there is no run, or it is not clear which device is meant.
[[nodiscard]] KnownRuns known_runs(const std::vector<StoredResult>& results, const Operator& op,
                                   const DeviceProfile& profile, const std::string& where);

} // namespace texelscope::workbench::store
