#pragma once

#include "devices/profile/device_profile.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::machines {

/// A figure of a device that was measured by other means than kernels: a product and quotient of
/// numbers and of values of the profile, such as "bandwidth.l2*clock/1000" (GB/s).
struct Figure {
    std::string name;     ///< and where it is from
    std::string quantity; ///< keys and numbers with * and / between them
    double value = 0;     ///< greater than 0
    double error = 0.1;   ///< relative; greater than 0

    bool operator==(const Figure&) const = default;
};

/// The quantity on a device. Throws bad_input for a text that is none, or a value that is no
/// number.
[[nodiscard]] double quantity_on(const std::string& quantity, const DeviceProfile& device);

/// Rows name,quantity,value,error behind a header of these words. Throws bad_input, with the line,
/// for anything else. `where`: what messages call it.
[[nodiscard]] std::vector<Figure> parse_figures(const std::string& text, const std::string& where);

} // namespace texelscope::workbench::machines
