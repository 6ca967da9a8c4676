#include "devices/jobs/described_device.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace texelscope::devices {
namespace {

std::set<std::string> words_of(const std::string& text)
{
    std::set<std::string> words;
    std::string word;
    for (const char c : text + " ") {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) != 0) {
            word += static_cast<char>(std::tolower(letter));
        } else if (!word.empty()) {
            words.insert(std::move(word));
            word.clear();
        }
    }
    return words;
}

} // namespace

std::optional<bool> describes(const DeviceProfile& profile, const OpenClDeviceInfo& device)
{
    if (profile.of.empty()) {
        return std::nullopt;
    }
    const std::set<std::string> told =
        words_of(device.name + " " + device.vendor + " " + device.platform + " " + device.version +
                 (device.cpu ? " cpu" : ""));
    return std::ranges::includes(told, words_of(profile.of));
}

} // namespace texelscope::devices
