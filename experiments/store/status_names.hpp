#pragma once

#include "experiments/store/stored_result.hpp"

#include <optional>
#include <span>
#include <string>

namespace texelscope::experiments {

/// What a file calls a status.
struct StatusName {
    ResultStatus status;
    const char* name;
};

/// The name in a list that has all of them.
[[nodiscard]] std::string name_of(std::span<const StatusName> names, ResultStatus status);
/// Nothing for a name that is not in the list.
[[nodiscard]] std::optional<ResultStatus> status_named(std::span<const StatusName> names, const std::string& name);

} // namespace texelscope::experiments
