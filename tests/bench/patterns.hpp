#pragma once

#include "traces/launch.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::bench {
using namespace traces;

/// The image of all benchmarks: 2048 x 2048 texels of 16 B.
inline constexpr std::int32_t side = 2048;

/// One warp of 64 that reads every texel `passes` times:
///   row    each lane a row of its own, in lockstep along x
///   blk4   each lane four rows
///   tile8  the lanes are an 8x8 tile that moves by 8
[[nodiscard]] Launch pattern_launch(const std::string& pattern, std::int64_t passes);

/// One warp of 64, each lane in a row of its own, that moves along x by a random stride: 1, 2, 3, 4
/// texels with probabilities .2, .3, .4, .1. As many reads as `passes` times all texels.
[[nodiscard]] std::unique_ptr<TraceSource> random_walks(std::int64_t passes, std::uint64_t seed);

/// Every read of a source with one warp, lane by lane, as byte addresses in a storage of blocks of
/// `block` x `block` texels in row order, blocks in row order (1: linear).
[[nodiscard]] std::vector<std::uint64_t> addresses_of(const TraceSource& source,
                                                      std::int32_t block);

} // namespace texelscope::bench
