#include "workbench/phones/nearest_profile.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "devices/jobs/described_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>

namespace texelscope::workbench::phones {
namespace {

/// The first whole number in a text, from `from` on.
std::optional<int> number_in(const std::string& text, std::size_t from)
{
    const std::size_t at = text.find_first_of("0123456789", from);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    constexpr std::size_t most_digits = 6;
    return std::atoi(text.substr(at, most_digits).c_str());
}

/// Malis by the architecture of their cores (Arm's documentation): those of a row are like the
/// profile of its first.
struct MaliKin {
    const char* profile;
    std::array<int, 6> numbers;
};
constexpr std::array mali_kin{MaliKin{"mali-g71", {71, 31, 51}}, MaliKin{"mali-g72", {72, 52}},
                              MaliKin{"mali-g76", {76}}, MaliKin{"mali-g77", {77, 57}},
                              MaliKin{"mali-g78", {78, 68}}};

std::string nearest_mali(int number)
{
    for (const MaliKin& kin : mali_kin) {
        if (std::ranges::count(kin.numbers, number) > 0) {
            return kin.profile;
        }
    }
    return "mali-g710"; // three digits: the third generation of Valhall, and later ones
}

std::string nearest_adreno(int number)
{
    constexpr std::string_view family = "adreno-";
    std::string nearest;
    int least = 0;
    for (const std::string& name : profile_names()) {
        if (!name.starts_with(family)) {
            continue;
        }
        const int distance = std::abs(number_in(name, family.size()).value_or(0) - number);
        if (nearest.empty() || distance < least) {
            nearest = name;
            least = distance;
        }
    }
    return nearest;
}

/// The profile of the device's family; empty where it has none.
std::string kin_of(const OpenClDeviceInfo& device)
{
    const std::string name = lower_case(device.name + " " + device.vendor + " " + device.platform);
    const auto found = [&](const char* word) { return name.find(word); };
    if (const std::size_t at = found("adreno"); at != std::string::npos) {
        return nearest_adreno(number_in(name, at).value_or(0));
    }
    for (const char* const word : {"mali", "immortalis"}) {
        if (const std::size_t at = found(word); at != std::string::npos) {
            return nearest_mali(number_in(name, at).value_or(0));
        }
    }
    if (device.cpu) {
        return "pocl-cpu";
    }
    return found("nvidia") != std::string::npos ? "nvidia-h100" : "";
}

} // namespace

NearestProfile as_profile_of(DeviceProfile base, const OpenClDeviceInfo& device)
{
    if (describes(base, device).value_or(false)) {
        return {std::move(base), true};
    }
    const auto values = base.values;
    for (auto [key, value] : values) {
        value.source =
            fmt::format("of {}, the nearest device that is known: {}", base.name, value.source);
        value.provenance = Provenance::assumed;
        set_value(base, key, value);
    }
    base.machines.clear();
    base.of = device.name;
    return {std::move(base), false};
}

std::string described_by(const OpenClDeviceInfo& device)
{
    std::string found;
    for (const std::string& name : profile_names()) {
        if (describes(find_profile(name), device).value_or(false) &&
            (found.empty() || name.size() < found.size())) {
            found = name;
        }
    }
    return found;
}

NearestProfile nearest_profile(const OpenClDeviceInfo& device)
{
    const std::string same = described_by(device);
    const std::string name = same.empty() ? kin_of(device) : same;
    if (name.empty()) {
        throw bad_input("nothing is known of devices like this one", device.name,
                        "name the profile that is nearest with --base");
    }
    return as_profile_of(find_profile(name), device);
}

} // namespace texelscope::workbench::phones
