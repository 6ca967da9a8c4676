#pragma once

#include "model/bottleneck/bottleneck.hpp"
#include "model/bottleneck/cache_path.hpp"
#include "model/bottleneck/round_fetches.hpp"
#include "model/bottleneck/served_rounds.hpp"
#include "model/bottleneck/wave.hpp"
#include "sim/cache/fill_outcome.hpp"
#include "sim/options/options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace texelscope::model {

/// What the code of a warp does on average for each read that it makes (WarpCode::Totals over its
/// reads).
struct ReadWork {
    double made = 1; ///< reads that are really made, for each read in the program
    /// Waits for data, for each read that is made; the members below are for each such read, too.
    double waits = 1;
    double cycles = 1;
    double alone = 0;     ///< cycles that keep this warp alone from going on
    double stored = 0;    ///< bytes for whose time a warp holds the port of the stores
    double to_memory = 0; ///< bytes of spilled registers that no cache has room for
    double local = 0;

    /// `port`: port_share() of the stores.
    ReadWork(const WarpCode::Totals& code, const SimulationOptions& options, double port);
};

/// For how many bytes' time a warp holds the port of the stores for each byte that a full warp
/// would store (Stores): the mean over all warps. 1 where stores take as long as their bytes, or
/// the output is not known.
[[nodiscard]] double port_share(const std::optional<ReadStream::Output>& output, const Wave& wave,
                                const Machine& machine);

/// Cycles that a round of one read takes by each of its bounds, or that many rounds take together.
class RoundBounds {
public:
    /// Where each bound is in `cycles`; then come the bandwidths of the levels of the cache path
    /// behind L1, and four more.
    static constexpr std::size_t latency = 0, issue = 1, texture_unit = 2;
    [[nodiscard]] std::size_t bandwidth(std::size_t level) const { return texture_unit + level; }
    [[nodiscard]] std::size_t memory() const { return count_ - 4; }
    [[nodiscard]] std::size_t outstanding_misses() const { return count_ - 3; }
    [[nodiscard]] std::size_t stores() const { return count_ - 2; }
    [[nodiscard]] std::size_t local_memory() const { return count_ - 1; }

    explicit RoundBounds(const CachePath& path) : count_(path.size() + 6)
    {
        std::fill_n(cycles_.begin(), count_, 0.0);
    }

    [[nodiscard]] std::span<double> cycles() { return {cycles_.data(), count_}; }
    [[nodiscard]] std::span<const double> cycles() const { return {cycles_.data(), count_}; }

private:
    std::size_t count_;
    std::array<double, most_levels + 6> cycles_; ///< the first `count_` are used
};

/// The bounds of the rounds of one launch.
class LaunchRounds {
public:
    /// `slower`: slowest_of_some(), a factor on the latency. Wave, path and machine must outlive
    /// this.
    LaunchRounds(const Wave& wave, const CachePath& path, const SimulationOptions& options,
                 const ReadWork& work, double slower);

    /// Those of a round that `level` serves, see ServedRounds.
    [[nodiscard]] RoundBounds bounds(const RoundFetches& fetch, std::size_t level) const;

private:
    const Wave& wave_;
    const CachePath& path_;
    const Machine& machine_;
    double warps_;
    double alone_;
    double sooner_;                                 ///< weight of RoundFetches::sooner
    std::array<double, most_levels + 1> latency_{}; ///< by level, then of memory
    std::array<double, most_levels + 1> waited_{};  ///< the same, of the waits for one read
    RoundBounds same_;                              ///< those that are the same in each round
};

/// Reads that are waited for together take as long as the slowest of them. Returns the expected
/// latency of the slowest of `together` reads, drawn at random from all reads, over the mean
/// latency of one read.
[[nodiscard]] double slowest_of_some(std::span<const ServedRounds> rounds, double together,
                                     const CachePath& path, const Machine& machine);

} // namespace texelscope::model
