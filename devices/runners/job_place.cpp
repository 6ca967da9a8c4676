#include "devices/runners/job_place.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::devices {
namespace {

constexpr std::pair<const char*, JobPlace::Kind> kinds[] = {
    {"agent:", JobPlace::Kind::agent}, {"adb:", JobPlace::Kind::adb}, {"ssh:", JobPlace::Kind::ssh}};

/// Serial numbers ("emulator-5554", "192.168.1.5:5555") and hosts ("me@board.local") have no other characters; as they are
/// words of commands, none may look like an option.
bool is_address(const std::string& text)
{
    return !text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string("._-:@[]%").find(c) != std::string::npos;
    });
}

} // namespace

JobPlace parse_job_place(const std::string& on)
{
    for (const auto& [prefix, kind] : kinds) {
        const std::string start = prefix;
        if (on.rfind(start, 0) != 0) {
            continue;
        }
        JobPlace place{kind, {}, on.substr(start.size())};
        if (kind != JobPlace::Kind::agent) {
            const std::size_t slash = place.device.find('/');
            place.address = place.device.substr(0, slash);
            place.device = slash == std::string::npos ? "" : place.device.substr(slash + 1);
            if (!is_address(place.address)) {
                throw bad_input("'" + on + "' names no machine", "--on",
                                kind == JobPlace::Kind::adb ? "write adb:SERIAL, as 'adb devices' lists them"
                                                            : "write ssh:HOST or ssh:USER@HOST");
            }
        }
        return place;
    }
    return {JobPlace::Kind::here, {}, on};
}

std::string to_string(const JobPlace& place)
{
    for (const auto& [prefix, kind] : kinds) {
        if (kind == place.kind) {
            const bool slash = !place.address.empty() && !place.device.empty();
            return prefix + place.address + (slash ? "/" : "") + place.device;
        }
    }
    return place.device;
}

} // namespace texelscope::devices
