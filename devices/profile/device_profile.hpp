#pragma once

// Device profiles: everything that the program knows of a device, with the origin of every number.
//
// What goes in: an XML file (read_profile()), a built-in file (find_profile()), or values set one
// by one, by probes (set_value()) or by the user (with_overrides(), `--set`). What comes out: a
// DeviceProfile, whose parts are consumed by others: `simulation` by the simulator, `model` by the
// bottleneck model, `limits` and `compiler` by devices/launch, which adds what one kernel asks for.
// to_xml() writes it back.
//
// What holds for a profile that is kept or written: its values were set through set_value(), so
// that `values` (text and source) and the options or limits (what is computed with) agree. Keys
// that no one has set keep the defaults of their options, and are not in `values`. Some code of
// workbench/tuning changes options or limits directly, to ask about a device that does not exist:
// in a copy that is thrown away.

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

/// How a value of a profile is known.
enum class Provenance {
    measured,   ///< measured by a benchmark on the device
    datasheet,  ///< from the vendor's documentation, or the device's own answer to a query
    driver,     ///< from the source of an open driver
    identified, ///< fitted to measurements with the help of a model
    inferred,   ///< follows from other published values
    assumed,    ///< nothing is known; the source says why this value
};
[[nodiscard]] std::string to_string(Provenance provenance);
/// The inverse of to_string(). Throws bad_input, listing the words, for any other one.
[[nodiscard]] Provenance parse_provenance(const std::string& text);

/// One value of a profile as its file gives it.
struct ProfileValue {
    std::string text; ///< the value as it stands in the file
    std::string unit;
    Provenance provenance = Provenance::assumed;
    /// Where it was found: paper, datasheet, driver file, command line. For `assumed` it is the
    /// reason for choosing this value.
    std::string source;

    bool operator==(const ProfileValue&) const = default;
};

/// Limits of a device that decide which configurations it runs, and how many work-groups fit.
struct DeviceLimits {
    std::int32_t image_width = 16384;  ///< texels
    std::int32_t image_height = 16384; ///< texels
    std::int64_t work_group_size = 1024;
    /// Capacity of the first-level cache that reads of buffers go through. 0 bytes: they go through
    /// none, as the L1 is for textures only. Nothing: not known.
    std::optional<Bytes> buffer_l1 = {};
    bool buffers_in_l1 = false; ///< whether that cache is the L1 that images use
    /// Local memory of a core, which its work-groups share. Nothing: not known.
    std::optional<Bytes> local_memory = {};
    /// The most local memory that one work-group can ask for. Nothing: as much as a core has.
    std::optional<Bytes> local_memory_of_group = {};
    /// A work-group's local memory is rounded up to a multiple of this. Nothing: it is not rounded.
    std::optional<Bytes> local_memory_step = {};
    /// Local memory that each work-group takes in addition to what it asks for. Nothing: none.
    std::optional<Bytes> local_memory_reserved = {};
    /// Capacity of a core's instruction cache. The code of longer kernels is fetched again and
    /// again. Nothing: not known.
    std::optional<Bytes> instruction_cache = {};
    /// The most 32-bit registers that a work-item can have; a compiler spills the rest to memory.
    /// Nothing: not known.
    std::optional<std::int32_t> registers_per_item = {};

    bool operator==(const DeviceLimits&) const = default;

    /// How many work-groups fit into a core's local memory if each asks for `bytes`. 0: one group
    /// may not ask for so much. Nothing: local memory does not limit the groups, or its size is not
    /// known.
    [[nodiscard]] std::optional<std::int64_t> groups_by_local_memory(std::int64_t bytes) const;
};

class KernelCompiler;

/// A device; see the head of this file.
struct DeviceProfile {
    std::string name;
    /// Words by which the device is recognised in what OpenCL says of itself (describes()). Empty:
    /// not known.
    std::string of = {};
    std::string description;
    SimulationOptions simulation;
    ModelOptions model = {};
    DeviceLimits limits;
    std::map<std::string, ProfileValue>
        values; ///< the values that were set, by key; keys are those of profile_keys()
    /// A real compiler, which tells the registers of a kernel and how many of its warps fit. Null:
    /// both are estimated. It is not part of the file.
    std::shared_ptr<const KernelCompiler> compiler = {};
    /// The name or file by which find_machines() has the machines that this device can be. Empty:
    /// there are none. It is not part of the file.
    std::string machines = {};

    bool operator==(const DeviceProfile&) const = default;
};

/// The keys that a profile may set, in the order in which they are written: settings(),
/// model_settings(), then the limits.
[[nodiscard]] const std::vector<Setting>& profile_keys();
/// The same keys, and those of further levels of cache that this profile has.
[[nodiscard]] std::vector<Setting> profile_keys(const DeviceProfile& profile);

/// Sets one of the options or limits alone, and leaves `values` as they are. Throws bad_input for
/// an unknown key, or a text that is no value of it.
void set_option(DeviceProfile& profile, const std::string& key, const std::string& text);

/// Sets one value, both in `values` and in the options or limits. Throws bad_input for an unknown
/// key, a unit other than the key's, an empty source, or a text that is no value of that key; the
/// profile is then unchanged.
void set_value(DeviceProfile& profile, const std::string& key, const ProfileValue& value);

/// The source of values that with_overrides() sets.
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
/// The same from XML in memory; messages name `path` as the file.
[[nodiscard]] DeviceProfile parse_profile(const std::string& xml, const std::string& path);
/// Writes a profile as XML that parse_profile() reads back, with values in the order of
/// profile_keys(). Runs of white space in texts become one blank.
[[nodiscard]] std::string to_xml(const DeviceProfile& profile);

/// Names of the profiles that are built in, ascending.
[[nodiscard]] std::vector<std::string> profile_names();
/// A built-in profile by name, or a file where the text ends in ".xml", with its machines. Throws
/// bad_input, listing the known names.
[[nodiscard]] DeviceProfile find_profile(const std::string& name_or_file);

} // namespace texelscope::devices
