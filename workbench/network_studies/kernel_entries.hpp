#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::workbench::network_studies {

/// One of the things that are known of a kernel.
struct KernelEntry {
    std::string name; ///< "config", "predicted_ns", "input 0": as in JSON where that has it
    std::variant<std::int64_t, double, std::string> value;
};

/// All that is known of each kernel of a network beside its number, in an order for readers; names
/// of a kernel's entries differ.
[[nodiscard]] std::vector<std::vector<KernelEntry>> kernel_entries(const JudgedNetwork& network);

/// Its value.
[[nodiscard]] std::string to_string(const KernelEntry& entry);

} // namespace texelscope::workbench::network_studies
