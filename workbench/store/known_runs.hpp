#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/store/stored_result.hpp"
#include "workbench/study/crosscheck.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// The runs of an operator among results, for a cross-check. They are of one device: where there
/// are several, of the one that the profile describes. What did not run is left out. Of several
/// runs of a configuration, the last counts. Throws bad_input, naming `where`, where there is none,
/// or it cannot be told which device is meant.
[[nodiscard]] KnownRuns known_runs(const std::vector<StoredResult>& results, const Operator& op,
                                   const DeviceProfile& profile, const std::string& where);

} // namespace texelscope::workbench::store
