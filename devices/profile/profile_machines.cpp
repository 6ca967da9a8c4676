#include "devices/profile/profile_machines.hpp"

#include "base/file_bytes.hpp"
#include "devices/profile/builtin_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace texelscope::devices {
namespace {

/// The file of machines beside NAME.xml; empty for any other name.
std::string file_of_machines(const std::string& name_or_file)
{
    constexpr std::string_view ending = ".xml";
    return name_or_file.ends_with(ending)
               ? name_or_file.substr(0, name_or_file.size() - ending.size()) + ".machines.json"
               : std::string();
}

/// Empty: no profile of that name, or none with machines.
std::string_view builtin_machines(const std::string& name)
{
    const auto profiles = builtin_profiles();
    const auto found = std::ranges::find(profiles, name, &BuiltinProfile::name);
    return found == profiles.end() ? std::string_view() : found->machines;
}

} // namespace

bool has_machines(const std::string& name_or_file)
{
    const std::string file = file_of_machines(name_or_file);
    return file.empty() ? !builtin_machines(name_or_file).empty() : std::filesystem::exists(file);
}

std::optional<ProfileMachines> find_machines(const std::string& name_or_file)
{
    if (!has_machines(name_or_file)) {
        return std::nullopt;
    }
    if (const std::string file = file_of_machines(name_or_file); !file.empty()) {
        return ProfileMachines{std::string(base::map_file(file)->view()), file};
    }
    return ProfileMachines{std::string(builtin_machines(name_or_file)),
                           fmt::format("machines of profile {}", name_or_file)};
}

} // namespace texelscope::devices
