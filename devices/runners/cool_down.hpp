#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace texelscope::devices {

/// The pause between two jobs.
struct CoolDown {
    double seconds = 0; ///< minimal pause
    /// The pause continues while the device is hotter than this, if its temperature can be read.
    std::optional<std::int64_t> max_millidegrees{};
    double longest_seconds = 300; ///< maximal pause
};

/// Makes the pause. Before each wait it calls `alive`, if given, with an upper bound of the seconds
/// until the next call.
void rest(const CoolDown& cool_down, const std::string& sysfs = "/sys",
          const std::function<void(double seconds)>& alive = {});

} // namespace texelscope::devices
