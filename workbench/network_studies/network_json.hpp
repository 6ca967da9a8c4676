#pragma once

#include "base/units.hpp"
#include "workbench/network_studies/judged_network.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>

namespace texelscope::workbench::network_studies {

/// The memory that a plan takes, in numbers.
struct PlannedMemory {
    Bytes peak{0};      ///< of what kernels make, where values share memory
    Bytes sum{0};       ///< the same if nothing were shared
    Bytes alive{0};     ///< most that is needed at once
    Bytes constants{0}; ///< of weights and inputs
    /// All values in one buffer (ArenaPlan).
    struct Arena {
        std::int64_t row_multiple = 0; ///< texels that rows of images are a multiple of
        std::int64_t alignment = 0;    ///< of values, in bytes
        std::int64_t images = 0;       ///< values that kernels make as images
        std::int64_t buffers = 0;
        std::int64_t cleared_values = 0; ///< that are filled with zeros before they are made
        Bytes cleared{0};                ///< of these
    };
    std::optional<Arena> arena;
};
[[nodiscard]] PlannedMemory planned_memory(const networks::Plan& plan);

/// The result of a network as one document: of each kernel what was planned, each judge's time and
/// counts, then memory, agreement of the judges and totals. Times are in nanoseconds; null where a
/// judge has none. docs/reference/json.md names the members.
[[nodiscard]] nlohmann::ordered_json network_json(const JudgedNetwork& network, std::int64_t batch);

} // namespace texelscope::workbench::network_studies
