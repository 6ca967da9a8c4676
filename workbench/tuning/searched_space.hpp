#pragma once

#include "workbench/space/where.hpp"
#include "workbench/tuning/strategy.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::tuning {

/// What a strategy searches, as far as it fulfils the conditions.
struct SearchedSpace : Narrowed {
    std::string parts; ///< their keys; empty where the strategy has a space of its own
};
/// `parts`: in place of the strategy's own; empty: those. Throws bad_input where nothing is left,
/// and for parts where the strategy has a space of its own.
[[nodiscard]] SearchedSpace searched_space(const Strategy& strategy, const Operator& op,
                                           const DeviceProfile& device, const std::string& parts,
                                           const std::vector<Constraint>& where);

} // namespace texelscope::workbench::tuning
