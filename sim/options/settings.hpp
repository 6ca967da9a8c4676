#pragma once

#include <string>
#include <vector>

namespace texelscope::sim {

struct Machine;
struct SimulationOptions;

/// One named value of the options: the keys of `--set` and of the device profiles' XML.
struct Setting {
    std::string key;   ///< e.g. "l1.capacity"
    std::string unit;  ///< e.g. "B", "cycles"; empty for words and plain counts
    std::string about; ///< one line for help texts
};
/// All settings, in the order in which they are shown, but for those of levels of cache beside L1
/// and L2.
[[nodiscard]] const std::vector<Setting>& settings();
/// These, and those of the levels that a machine has beside: level.NAME.capacity and so on, as of
/// L1 and L2, and level.NAME.behind, .shared, .latency and .bandwidth. The first of them that is
/// set makes the level, behind L1 and each core's own.
[[nodiscard]] std::vector<Setting> settings(const Machine& machine);
/// By its key. Throws bad_input for an unknown one (it names the nearest known one).
[[nodiscard]] Setting setting_of(const std::string& key);
/// Throws bad_input for an unknown key (it names the nearest known one) or a value that does not
/// parse.
void set(SimulationOptions& options, const std::string& key, const std::string& value);
[[nodiscard]] std::string get(const SimulationOptions& options, const std::string& key);

} // namespace texelscope::sim
