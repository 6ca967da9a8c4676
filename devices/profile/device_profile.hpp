#pragma once

#include "model/bottleneck/model_options.hpp"
#include "sim/options/options.hpp"
#include "sim/options/settings.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::devices {

/// Where a value of a profile comes from.
enum class Provenance {
    measured,   ///< by a benchmark on the device
    datasheet,  ///< the vendor's documentation or the device's own answer to a query
    driver,     ///< the source of an open driver
    identified, ///< fitted to measurements by a model
    inferred,   ///< follows from other published values
    assumed,    ///< nothing is known; the source says why this value
};
[[nodiscard]] std::string to_string(Provenance provenance);
/// Throws bad_input, listing the words, for another one.
[[nodiscard]] Provenance parse_provenance(const std::string& text);

struct ProfileValue {
    std::string text; ///< as in the file
    std::string unit;
    Provenance provenance = Provenance::assumed;
    /// Paper, datasheet, driver file, command line; for `assumed` the reasoning.
    std::string source;

    bool operator==(const ProfileValue&) const = default;
};

/// Limits that a configuration must keep.
struct DeviceLimits {
    std::int32_t image_width = 16384;  ///< texels
    std::int32_t image_height = 16384; ///< texels
    std::int64_t work_group_size = 1024;
    /// Capacity of the first-level cache that reads of buffers go through; 0 bytes: there is none,
    /// the L1 is for textures only. Nothing: not known.
    std::optional<Bytes> buffer_l1 = {};
    bool buffers_in_l1 = false; ///< that cache is the L1 of the images
    /// Of a core, which its work-groups share. Nothing: not known.
    std::optional<Bytes> local_memory = {};
    /// That a work-group can ask for. Nothing: as much as a core has.
    std::optional<Bytes> local_memory_of_group = {};
    /// In which a work-group takes it. Nothing: as it asks.
    std::optional<Bytes> local_memory_step = {};
    /// That a work-group takes beside what it asks for. Nothing: none.
    std::optional<Bytes> local_memory_reserved = {};
    /// Of a core: longer kernels are fetched again. Nothing: not known.
    std::optional<Bytes> instruction_cache = {};
    /// 32-bit registers that a work-item can have; a compiler keeps what needs more in memory.
    /// Nothing: not known.
    std::optional<std::int32_t> registers_per_item = {};

    bool operator==(const DeviceLimits&) const = default;

    /// Work-groups that a core's local memory has room for, each asking for so many bytes; 0 where
    /// a group cannot have so many; nothing: it does not limit.
    [[nodiscard]] std::optional<std::int64_t> groups_by_local_memory(std::int64_t bytes) const;
};

class KernelCompiler;

/// A device: what the simulator and the model consume, and where each number comes from.
struct DeviceProfile {
    std::string name;
    /// Words that tell the device among what OpenCL says of it (describes()); empty: not known.
    std::string of = {};
    std::string description;
    SimulationOptions simulation;
    ModelOptions model = {};
    DeviceLimits limits;
    std::map<std::string, ProfileValue>
        values; ///< by key: those of settings() and model_settings(), and limits.*
    /// Who tells a kernel's registers and how many of its warps fit; null: they are estimated. Not
    /// part of the file.
    std::shared_ptr<const KernelCompiler> compiler = {};

    bool operator==(const DeviceProfile&) const = default;
};

/// The keys that a profile may set, in the order in which they are written: settings(),
/// model_settings(), then the limits.
[[nodiscard]] const std::vector<Setting>& profile_keys();
/// These, with those of the levels of cache that the profile has beside L1 and L2.
[[nodiscard]] std::vector<Setting> profile_keys(const DeviceProfile& profile);

/// Sets one value, in `values` and in the options or limits. Throws bad_input for an unknown key, a
/// unit other than the key's, an empty source, or a text that is no value of that key; the profile
/// is then unchanged.
void set_value(DeviceProfile& profile, const std::string& key, const ProfileValue& value);

/// Where with_overrides() says that its values come from.
inline constexpr const char* override_source = "set by hand";

/// The profile with values set by hand, each "KEY=VALUE" with a key of profile_keys(). `where`
/// names the option in messages. Throws bad_input as set_value() does, and where the values do not
/// fit together.
[[nodiscard]] DeviceProfile with_overrides(DeviceProfile profile,
                                           const std::vector<std::string>& overrides,
                                           const std::string& where);

/// Reads a profile; the schema is in devices/profiles/README.md. Keys that the file leaves out keep
/// their defaults. Throws bad_input with file and line for malformed XML, an unknown or repeated
/// key, a missing source, a unit other than the key's, a text that is no value of the key, or
/// values that do not fit together.
[[nodiscard]] DeviceProfile read_profile(const std::string& path);
/// The same from text; `path` is what messages call it.
[[nodiscard]] DeviceProfile parse_profile(const std::string& xml, const std::string& path);
/// The same profile as XML, values in the order of profile_keys(). Runs of white space in texts
/// become one blank.
[[nodiscard]] std::string to_xml(const DeviceProfile& profile);

/// Names of the profiles that are built in, ascending.
[[nodiscard]] std::vector<std::string> profile_names();
/// A built-in profile by name, or a file where the text ends in ".xml". Throws bad_input, listing
/// the known names.
[[nodiscard]] DeviceProfile find_profile(const std::string& name_or_file);

} // namespace texelscope::devices
