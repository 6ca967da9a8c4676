#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A fact about a kernel of a network: its name and its value.
struct KernelEntry {
    std::string name; ///< "config", "predicted_ns", "input 0": as in JSON where that has it
    std::variant<std::int64_t, double, std::string> value;
};

/// All facts about each kernel of a network except its number, in an order for readers. The entries
/// of a kernel have different names.
[[nodiscard]] std::vector<std::vector<KernelEntry>> kernel_entries(const JudgedNetwork& network);

/// The value of an entry as text.
[[nodiscard]] std::string to_string(const KernelEntry& entry);

} // namespace texelscope::workbench::network_studies
