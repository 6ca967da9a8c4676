#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace texelscope::devices {

/// Rest between two jobs.
struct CoolDown {
    double seconds = 0; ///< always
    /// Go on waiting while it is hotter, where that can be read.
    std::optional<std::int64_t> max_millidegrees{};
    double longest_seconds = 300; ///< but no longer than this
};

/// Waits as told. `alive`, where given, is called before each wait with the seconds until the next
/// call at most.
void rest(const CoolDown& cool_down, const std::string& sysfs = "/sys",
          const std::function<void(double seconds)>& alive = {});

} // namespace texelscope::devices
