#pragma once

#include "model/bottleneck/cache_path.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "model/bottleneck/wave.hpp"
#include "model/bottleneck/working_set.hpp"

#include <cstddef>

namespace texelscope::model {

/// What one round of an input's reads looks up, and what it fetches if the caches hold none of it
/// yet.
struct RoundFetches {
    double granules_of_warp = 1; ///< granules of L1 that one warp looks up
    double unit_cycles =
        1; ///< cycles of the texture unit for the lookups and addresses of one warp
    /// Cycles in which it hands back the texels of the lanes (texture.return, buffers.return),
    /// beside that; 0 where they take no time of their own.
    double return_cycles = 0;
    double turn = 1;   ///< cycles of the first lookup, which are part of the latency
    double sooner = 0; ///< cycles by which data come sooner than to an image
    /// By level: granules of it that one such cache fetches from behind it.
    ByLevel fetched;
    /// By level: how many times as long its busiest bank takes as all would with equal shares (from
    /// the level behind L1 on); and the same of the channels of memory.
    ByLevel crowding;
    double memory_crowding = 1;
};

/// `l1`: the first-level cache that the input is read through.
[[nodiscard]] RoundFetches round_fetches(const ReadStream::Input& input, const Wave& wave,
                                         const CachePath& path, const CacheSets& l1,
                                         const Machine& machine);

/// Units that the first `items` work-items at one place of the grid touch together: `counts` by
/// their number from one on (ReadStream::Together), of which beyond the end the last holds. 1 where
/// it is empty: they touch the same.
[[nodiscard]] double of_first(const std::vector<double>& counts, std::int64_t items);

/// How many caches of a level there are: one for each core, or one that all cores share.
[[nodiscard]] inline double caches_of(const CacheLevel& level, const Wave& wave)
{
    return level.shared ? 1 : wave.cores;
}

/// The work-items that share a cache of that level.
[[nodiscard]] inline const WorkItems& items_of(const CacheLevel& level, const Wave& wave)
{
    return level.shared ? wave.all : wave.core;
}

} // namespace texelscope::model
