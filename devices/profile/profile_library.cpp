#include "base/error.hpp"
#include "devices/profile/builtin_profiles.hpp"
#include "devices/profile/device_profile.hpp"
#include "devices/profile/profile_machines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace texelscope::devices {

std::vector<std::string> profile_names()
{
    std::vector<std::string> names;
    for (const BuiltinProfile& profile : builtin_profiles()) {
        names.emplace_back(profile.name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

DeviceProfile find_profile(const std::string& name_or_file)
{
    const auto with_machines = [&](DeviceProfile profile) {
        profile.machines = has_machines(name_or_file) ? name_or_file : std::string();
        return profile;
    };
    if (name_or_file.ends_with(".xml") || name_or_file.find('/') != std::string::npos) {
        return with_machines(read_profile(name_or_file));
    }
    for (const BuiltinProfile& profile : builtin_profiles()) {
        if (profile.name == name_or_file) {
            return with_machines(parse_profile(std::string(profile.xml),
                                               fmt::format("built-in profile {}", profile.name)));
        }
    }
    throw bad_input(
        fmt::format("there is no device profile \"{}\"", name_or_file), {},
        fmt::format("known are {}; or give a file that ends in .xml, or a path with a slash",
                    fmt::join(profile_names(), ", ")));
}

} // namespace texelscope::devices
