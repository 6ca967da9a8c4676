#pragma once

#include "base/layers.hpp"

#include <optional>
#include <string>

namespace texelscope::devices {

/// A file of machines, which `identify --kernels` writes beside a profile.
struct ProfileMachines {
    std::string text;
    std::string where; ///< what messages call it
};

/// The machines of a profile, named as for find_profile(): those that are built in, or of a file
/// NAME.xml those of NAME.machines.json beside it. Nothing where there is no such file. Throws
/// bad_input where it cannot be read.
[[nodiscard]] std::optional<ProfileMachines> find_machines(const std::string& name_or_file);
/// Whether find_machines() finds any; reads no file.
[[nodiscard]] bool has_machines(const std::string& name_or_file);

} // namespace texelscope::devices
