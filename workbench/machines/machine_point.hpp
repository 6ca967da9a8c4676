#pragma once

#include "devices/profile/device_profile.hpp"
#include "workbench/machines/prior.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::machines {

/// Values of the unknowns, as places in [0, 1) (Unknown), in their order.
using Places = std::vector<double>;

/// The texts of such values, in the order of the unknowns.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Unknown>& unknowns,
                                                const Places& places);
/// The places of the profile's own values.
[[nodiscard]] Places places_of(const std::vector<Unknown>& unknowns, const DeviceProfile& profile);

/// A machine to price kernels on.
struct PricedMachine {
    /// What computes with it: options, limits and name; the sources of its values are left out.
    DeviceProfile device;
    /// Machines with the same text read the same lines of their caches.
    std::string reads;
};

/// The profile with these values. Nothing where they do not fit together: latencies that do not
/// grow from level to level, a sector as long as its line, a cache that is smaller than its sets.
[[nodiscard]] std::optional<PricedMachine> machine_of(const DeviceProfile& profile,
                                                      const std::vector<Unknown>& unknowns,
                                                      const std::vector<std::string>& texts);

/// The machine at another core clock: memory takes as long as before, in nanoseconds.
[[nodiscard]] Machine at_clock(Machine machine, double clock);

} // namespace texelscope::workbench::machines
