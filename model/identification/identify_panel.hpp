#pragma once

#include "model/tmmodel/latency_fit.hpp"
#include "model/walks/measured_walks.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::model {

/// Training sets of a cross-validation: trainings[0] is all walks, trainings[f] all but those of fold f (from 1 on).
struct Folds {
    std::vector<std::vector<std::size_t>> trainings;
    std::vector<std::size_t> fold_of_walk; ///< from 1 on
};
[[nodiscard]] Folds make_folds(std::size_t walks, int folds, std::uint64_t seed);

/// Some of the walks, as scores need them.
struct Panel {
    std::vector<std::size_t> walks; ///< ascending
    std::vector<double> ns;
    std::vector<double> reads;
    std::vector<std::vector<std::size_t>> chosen; ///< by training set: places in `walks`
};
[[nodiscard]] Panel make_panel(std::vector<std::size_t> walks, const MeasuredWalks& measured, const Folds& folds);

/// Mean relative error of a cache by training set, given its misses by walk of the panel.
[[nodiscard]] std::vector<float> scores(const Panel& panel, std::span<const std::uint32_t> misses, int rounds);

/// Ways that are tried: every number with at most four significant bits from 1 to `most`.
[[nodiscard]] std::vector<std::int64_t> ways_to_try(std::int64_t most);

} // namespace texelscope::model
