#pragma once

#include "workbench/machines/machine_set.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace texelscope::workbench::machines {

/// A set as JSON, without the schema and the program's version.
[[nodiscard]] nlohmann::ordered_json to_json(const MachineSet& set);
/// A file of machines: the same with its schema, a line for each machine.
[[nodiscard]] std::string machines_text(const MachineSet& set);
/// Reads a file of machines; it equals the set that was written. Throws bad_input, naming `where`,
/// where the text is none: no machine, a weight or a loss that is no number above 0, a machine with
/// more or fewer values than the set has keys.
[[nodiscard]] MachineSet parse_machines(const std::string& text, const std::string& where);
/// The machines that a device can be; nothing where its profile has none. Throws bad_input as
/// find_machines() and parse_machines() do.
[[nodiscard]] std::optional<MachineSet> machines_of(const DeviceProfile& device);

[[nodiscard]] nlohmann::ordered_json to_json(const Judgement& judgement);

} // namespace texelscope::workbench::machines
