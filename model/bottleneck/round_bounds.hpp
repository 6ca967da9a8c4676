#pragma once

#include "model/bottleneck/bottleneck.hpp"
#include "model/bottleneck/cache_path.hpp"
#include "model/bottleneck/round_fetches.hpp"
#include "model/bottleneck/served_rounds.hpp"
#include "model/bottleneck/wave.hpp"
#include "sim/cache/fill_outcome.hpp"
#include "sim/options/options.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::model {

/// What the code of a warp does on average for each read that it makes (WarpCode::Totals over its
/// reads).
struct ReadWork {
    double made = 1; ///< reads that are really made, for each read in the program
    /// Waits for data, for each read that is made; the members below are for each such read, too.
    double waits = 1;
    double cycles = 1;
    double alone = 0; ///< cycles that keep this warp alone from going on
    double stored = 0;
    double local = 0;

    ReadWork(const WarpCode::Totals& code, const SimulationOptions& options);
};

/// Cycles that a round of one read takes by each of its bounds, or that many rounds take together.
struct RoundBounds {
    /// Where each bound is in `cycles`. The bandwidth of level k of the cache path is at levels + k
    /// - 1; that of memory comes after the last.
    static constexpr std::size_t latency = 0, issue = 1, texture_unit = 2, levels = 3,
                                 memory = levels + most_levels - 1, outstanding_misses = memory + 1,
                                 stores = memory + 2, local_memory = memory + 3;
    std::array<double, local_memory + 1> cycles{};
};

/// `slower`: slowest_of_some() over the mean, a factor on the latency. `level`: by which the rounds
/// are served, see ServedRounds.
[[nodiscard]] RoundBounds round_bounds(const RoundFetches& fetch, const Wave& wave,
                                       const CachePath& path, const SimulationOptions& options,
                                       const ReadWork& work, double slower, std::size_t level);

/// Reads that are waited for together take as long as the slowest of them. Returns the expected
/// latency of the slowest of `together` reads, drawn at random from all reads, over the mean
/// latency of one read.
[[nodiscard]] double slowest_of_some(std::span<const ServedRounds> rounds, double together,
                                     const CachePath& path, const Machine& machine);

} // namespace texelscope::model
