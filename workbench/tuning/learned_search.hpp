#pragma once

#include "model/statistics/boosted_trees.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/tuning/search.hpp"

#include <cstdint>

namespace texelscope::workbench::tuning {

/// AutoTVM's defaults are batches of 64, an epsilon of 0.05 and 128 walks of 500 steps; these were
/// chosen for budgets of tens of runs, on the simulated times of small products and a convolution.
struct LearnedOptions {
    std::int64_t batch = 8; ///< trials between two fits; the first ones are drawn at random
    double epsilon = 0.2;   ///< share of the later trials that is drawn at random as well
    int walks = 32;         ///< in parallel
    int steps = 50;         ///< of each, between two batches
    BoostingOptions trees = {};
};

/// Search with a learned cost model in the manner of AutoTVM (Chen et al., "Learning to optimize
/// tensor programs", NeurIPS 2018, sections 3 and 4; TMModel, section 6.1, its baseline TVM). After
/// each batch, boosted trees over the knobs are fitted to the logarithms of the times so far; an
/// element that could not run counts as e times the slowest. Random walks, half of them from the
/// best trials, anneal on the fitted cost: a step turns one knob and is taken where the cost falls,
/// else with probability exp(-rise / T), T falling linearly from the deviation of the logarithms to
/// nothing. The next batch are the best elements met that were not tried, but for the random share.
/// Different from AutoTVM: squared loss in place of its rank loss, knobs alone as features, nothing
/// learned from other operators.
/// Throws bad_input where an option is out of range.
[[nodiscard]] SearchResult learned_search(const ConfigurationSpace& space, const TimesOf& times_of,
                                          const SearchBudget& budget, std::uint64_t seed,
                                          const LearnedOptions& options = {},
                                          const Progress& progress = {},
                                          const StopToken& stop = {});

} // namespace texelscope::workbench::tuning
