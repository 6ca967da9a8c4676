#include "devices/profile/profile_machines.hpp"

#include "base/file_bytes.hpp"
#include "devices/profile/builtin_profiles.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace texelscope::devices {

std::optional<ProfileMachines> find_machines(const std::string& name_or_file)
{
    const std::string ending = ".xml";
    if (name_or_file.ends_with(ending)) {
        const std::string file =
            name_or_file.substr(0, name_or_file.size() - ending.size()) + ".machines.json";
        if (!std::filesystem::exists(file)) {
            return std::nullopt;
        }
        return ProfileMachines{std::string(base::map_file(file)->view()), file};
    }
    for (const BuiltinProfile& profile : builtin_profiles()) {
        if (profile.name == name_or_file && !profile.machines.empty()) {
            return ProfileMachines{std::string(profile.machines),
                                   fmt::format("machines of profile {}", profile.name)};
        }
    }
    return std::nullopt;
}

} // namespace texelscope::devices
