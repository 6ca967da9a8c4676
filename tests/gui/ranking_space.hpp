#pragma once

#include "gui/ranking/ranking_rows.hpp"

namespace texelscope::test {
using namespace gui;

/// matmul 16,16,16 with all of its configurations in an order that has nothing to do with a model, costs from 1 ns on over
/// several powers of ten, and times and compilations for some.
[[nodiscard]] RankingRows random_rows(std::uint64_t seed);

} // namespace texelscope::test
