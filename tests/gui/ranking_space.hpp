#pragma once

#include "gui/ranking/ranking_rows.hpp"

namespace texelscope::test {
using namespace gui;

/// matmul 16,16,16 with all of its configurations in an order that has nothing to do with a model,
/// costs from 1 ns on over several powers of ten, and times and compilations for some.
[[nodiscard]] RankingRows random_rows(std::uint64_t seed);

/// Whether a row has the cost that a ranking has at that place, and its configuration is among
/// those that are alike to the row.
[[nodiscard]] bool has_cost_at(const RankedSpace& ranked, std::size_t row,
                               const RankedConfiguration& expected);

} // namespace texelscope::test
