#pragma once

#include "devices/profile/device_profile.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::report {

/// A value of a profile as a row of a table.
struct ProfileRow {
    std::string key;
    std::string about; ///< what the key means, in one line
    std::string value;
    std::string unit;
    std::optional<Provenance> from; ///< nothing: the profile leaves it out, and this is the default
    std::string source;
    /// 80 % of the machines that the device can be: "89 to 184"; "open" where the measurements do
    /// not tell it. Empty: they do not differ in it, or there are none.
    std::string machines;
};

/// The value in force of every key, in the order of profile_keys().
[[nodiscard]] std::vector<ProfileRow> profile_rows(const DeviceProfile& device);

} // namespace texelscope::workbench::report
