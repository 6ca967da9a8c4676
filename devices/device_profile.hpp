#pragma once

#include "sim/options.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace texelscope {

/// Where a value of a profile comes from.
enum class Provenance { measured, datasheet, driver, identified, inferred, assumed };
[[nodiscard]] std::string to_string(Provenance provenance);
[[nodiscard]] Provenance parse_provenance(const std::string& text);

struct ProfileValue {
    std::string text; ///< as in the file
    std::string unit;
    Provenance provenance = Provenance::assumed;
    std::string source; ///< paper, datasheet, driver file, command line; for `assumed` the reasoning
};

/// Limits that a configuration must keep.
struct DeviceLimits {
    std::int32_t image_width = 16384;  ///< texels
    std::int32_t image_height = 16384; ///< texels
    std::int64_t work_group_size = 1024;
};

/// A device: what the simulator and the model consume, and where each number comes from.
struct DeviceProfile {
    std::string name;
    std::string description;
    SimulationOptions simulation;
    DeviceLimits limits;
    std::map<std::string, ProfileValue> values; ///< by key: those of settings(), and limits.*
};

/// Reads a profile. Throws bad_input with file and line (or byte offset) for malformed XML, an unknown key, a missing
/// source, a unit other than the key's, or values that do not fit together.
[[nodiscard]] DeviceProfile read_profile(const std::string& path);
[[nodiscard]] DeviceProfile parse_profile(const std::string& xml, const std::string& path);
/// The same profile as XML, values in the order of settings().
[[nodiscard]] std::string to_xml(const DeviceProfile& profile);

/// Names of the profiles that are built in, ascending.
[[nodiscard]] std::vector<std::string> profile_names();
/// A built-in profile by name, or a file where the text ends in ".xml". Throws bad_input, listing the known names.
[[nodiscard]] DeviceProfile find_profile(const std::string& name_or_file);

} // namespace texelscope
