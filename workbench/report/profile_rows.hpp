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
};

/// The value in force of every key, in the order of profile_keys().
[[nodiscard]] std::vector<ProfileRow> profile_rows(const DeviceProfile& device);

} // namespace texelscope::workbench::report
