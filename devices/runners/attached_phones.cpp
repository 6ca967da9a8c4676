#include "devices/runners/attached_phones.hpp"

#include "base/child_process.hpp"
#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <vector>

namespace texelscope::devices {
namespace {

/// What `adb devices` lists: a line for each after the one that begins so, and before that what is
/// said where adb starts its server.
std::vector<std::string> serials_in(const std::string& output)
{
    std::vector<std::string> serials;
    bool listed = false;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        std::string serial;
        if (listed && std::istringstream(line) >> serial) {
            serials.push_back(serial);
        }
        listed = listed || line.starts_with("List of devices attached");
    }
    return serials;
}

} // namespace

std::string only_phone()
{
    constexpr double longest_seconds = 30; // its server may have to be started
    const ProcessOutcome outcome = run_process({"adb", "devices"}, longest_seconds);
    if (outcome.exit_code != 0) {
        throw missing("phones cannot be listed: " + (outcome.timed_out ? std::string("no answer")
                                                                       : last_line(outcome.output)),
                      "adb devices", "try 'adb kill-server', then 'adb devices'");
    }
    const std::vector<std::string> serials = serials_in(outcome.output);
    if (serials.empty()) {
        throw missing("no phone is attached", "adb",
                      "plug one in, allow USB debugging on it, and see 'adb devices'");
    }
    if (serials.size() > 1) {
        throw bad_input(fmt::format("several phones are attached: {}", fmt::join(serials, ", ")),
                        "adb", "name one, as in --on adb:" + serials.front());
    }
    return serials.front();
}

} // namespace texelscope::devices
