#pragma once

#include "devices/profile/device_profile.hpp"
#include "model/identification/identify.hpp"

#include <string>

namespace texelscope::workbench::probes {

/// The profile with its layout, its L1, and the latencies of L1 and L2 replaced by those of the
/// best explanation (latencies from nanoseconds by the profile's clock). The new values are marked
/// `identified`. Their source is `how`, with the held-out error and, where the walks leave a
/// property open, the other values that explain them. Throws bad_input where no cache explains the
/// walks (explains_walks()), or the new values do not fit the others.
[[nodiscard]] DeviceProfile identified_profile(DeviceProfile profile,
                                               const Identification& identification,
                                               const std::string& how);

} // namespace texelscope::workbench::probes
