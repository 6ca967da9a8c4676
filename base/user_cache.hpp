#pragma once

#include "base/layers.hpp"

#include <optional>
#include <string>

namespace texelscope::base {

/// The folder for what can be made again: $XDG_CACHE_HOME/texelscope, or else .cache/texelscope in
/// the home folder. Nothing where neither is known; it may not be there yet.
[[nodiscard]] std::optional<std::string> user_cache_folder();

} // namespace texelscope::base
