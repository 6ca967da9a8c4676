#include "devices/jobs/run_status.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace texelscope::devices {
namespace {

using Name = std::pair<RunStatus, const char*>;
// In the order of RunStatus, which is the index.
constexpr std::array<Name, 7> names{{{RunStatus::ok, "ok"},
                                     {RunStatus::unsupported, "unsupported"},
                                     {RunStatus::build_failed, "build-failed"},
                                     {RunStatus::failed, "failed"},
                                     {RunStatus::timed_out, "timed-out"},
                                     {RunStatus::crashed, "crashed"},
                                     {RunStatus::wrong_output, "wrong-output"}}};

} // namespace

std::string to_string(RunStatus status)
{
    return names.at(static_cast<std::size_t>(status)).second;
}

std::optional<RunStatus> run_status_named(const std::string& word)
{
    const auto* const found = std::find_if(names.begin(), names.end(),
                                           [&](const Name& name) { return name.second == word; });
    return found == names.end() ? std::nullopt : std::optional(found->first);
}

std::string run_word(RunStatus status)
{
    return to_string(status == RunStatus::build_failed ? RunStatus::failed : status);
}

std::string remedy(RunStatus status)
{
    switch (status) {
    case RunStatus::unsupported:
        return "use a configuration within the device's limits";
    case RunStatus::timed_out:
        return "use a smaller shape, or another device";
    case RunStatus::crashed:
        return "give it more memory, update its driver, or use another device";
    default:
        return "use another configuration, or another device";
    }
}

} // namespace texelscope::devices
