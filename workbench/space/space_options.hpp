#pragma once

#include "codegen/nest/schedule.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// The parts that TMModel searches.
inline constexpr const char* paper_parts = "ATWG";

/// What a search chooses from. The defaults are those of the paper: patterns, tile, warp shape and
/// work-group (TMModel's A, T, W and G), with everything else of a schedule as it is in the
/// operator's default one.
struct SpaceOptions {
    std::string parts = paper_parts; ///< keys of those that are searched
    std::vector<AccessPattern> patterns{all_access_patterns.begin(), all_access_patterns.end()};
    std::vector<std::int32_t> tile_sides{1, 2, 4, 8}; ///< along x and y
    std::vector<std::int32_t> tile_depths{1};         ///< along z, where the grid has it
    std::vector<std::int32_t> group_depths{1};        ///< in tiles along z, where the grid has it
    /// Values of any further part, by its key, searched or not, as in the text; "" is its default.
    /// Those of a part that is searched and not here are part_values(). What is illegal for the
    /// operator is left out.
    std::map<char, std::vector<std::string>> values = {};
    std::int64_t smallest_group = 16;  ///< work-items
    std::int64_t largest_group = 1024; ///< work-items; the device's limit holds as well
};

} // namespace texelscope::workbench::space
