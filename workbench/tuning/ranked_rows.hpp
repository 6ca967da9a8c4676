#pragma once

#include "base/units.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::space {
class ConfigurationSpace;
} // namespace texelscope::workbench::space
namespace texelscope::workbench::study {
struct Ranking;
} // namespace texelscope::workbench::study

namespace texelscope::workbench::tuning {

struct StrategyResult;

/// A configuration of a ranking or of a search, as all that show one have it.
struct RankedRow {
    std::string config;
    Nanoseconds time{0};    ///< by the judge that orders
    std::int64_t alike = 1; ///< configurations that got it; itself is one of them
    std::optional<Nanoseconds>
        predicted; ///< by the model, where another judge orders and it was asked
    std::int64_t predicted_alike = 1;
    bool rough = false; ///< Trial::rough
};

/// In the model's order.
[[nodiscard]] std::vector<RankedRow> ranked_rows(const Ranking& ranking);
/// The trials that could run, ascending by time, rough ones last, `top` at most, 0: all. Of those
/// that took as long as each other, first what the model put first, or without it by their texts.
[[nodiscard]] std::vector<RankedRow> ranked_rows(const StrategyResult& result,
                                                 const ConfigurationSpace& space, std::size_t top);

} // namespace texelscope::workbench::tuning
