#pragma once

#include <string>
#include <vector>

namespace texelscope::sim {

struct SimulationOptions;

/// One named value of the options: the keys of `--set` and of the device profiles' XML.
struct Setting {
    std::string key;   ///< e.g. "l1.capacity"
    std::string unit;  ///< e.g. "B", "cycles"; empty for words and plain counts
    std::string about; ///< one line for help texts
};
/// All settings, in the order in which they are shown.
[[nodiscard]] const std::vector<Setting>& settings();
/// Throws bad_input for an unknown key (it names the nearest known one) or a value that does not parse.
void set(SimulationOptions& options, const std::string& key, const std::string& value);
[[nodiscard]] std::string get(const SimulationOptions& options, const std::string& key);

} // namespace texelscope::sim
