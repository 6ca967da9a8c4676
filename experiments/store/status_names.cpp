#include "experiments/store/status_names.hpp"

#include <algorithm>

namespace texelscope::experiments {

std::string name_of(std::span<const StatusName> names, ResultStatus status)
{
    return std::find_if(names.begin(), names.end(), [&](const StatusName& one) { return one.status == status; })->name;
}

std::optional<ResultStatus> status_named(std::span<const StatusName> names, const std::string& name)
{
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const StatusName& one) { return one.name == name; });
    return found == names.end() ? std::nullopt : std::optional(found->status);
}

} // namespace texelscope::experiments
