#pragma once

#include "workbench/space/configuration_space.hpp"
#include "workbench/tuning/strategy.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::workbench::tuning {

/// A trial that could run, and what the model said of it.
struct JudgedTrial {
    std::int64_t index = 0;
    Nanoseconds time{0};
    bool rough = false;                   ///< Trial::rough
    std::int64_t alike = 1;               ///< trials that took as long, by the same judge
    const RankedConfiguration* predicted; ///< of the result; null where the model was not asked
};

/// The trials that could run, ascending by time, but rough ones behind the others; of those that
/// took as long as each other, first what the model put first, or without it by their texts.
[[nodiscard]] std::vector<JudgedTrial> by_time(const StrategyResult& result,
                                               const ConfigurationSpace& space);

} // namespace texelscope::workbench::tuning
