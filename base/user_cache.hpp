#pragma once

#include "base/layers.hpp"

#include <optional>
#include <string>

namespace texelscope::base {

/// The folder for files that can be made again: $XDG_CACHE_HOME/texelscope, or else
/// .cache/texelscope in the home folder. It may not exist yet. nullopt where neither is known.
[[nodiscard]] std::optional<std::string> user_cache_folder();

} // namespace texelscope::base
