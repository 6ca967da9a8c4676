#pragma once

#include "model/bottleneck/model_options.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "model/bottleneck/wave.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::model {

/// The predicted cycles of a launch, and what they are spent on. `by_input` and the bounds (those
/// from `latency` on with the bandwidth of each level) are two breakdowns of `cycles`: each adds up
/// to it.
struct BottleneckCost {
    double cycles = 0;
    std::int64_t resident_warps = 1; ///< warps that one core holds at once
    double waves = 1;
    std::vector<double> by_input; ///< cycles of the reads of each input of the stream
    double l1_lookups = 0;        ///< of the launch, in granules
    /// One level of cache.
    struct Level {
        std::string name;
        double misses = 0;    ///< of the launch, in granules of the level
        double bandwidth = 0; ///< cycles of this bound; 0 for L1, whose port is the texture unit
    };
    std::vector<Level> levels; ///< L1, then those behind it that are there, towards memory
    /// Cycles of the rounds in which this bound was the slowest one. With model.overlap: the share
    /// of `cycles` that its term has in the sum of powers.
    double latency = 0, issue = 0, texture_unit = 0, memory_bandwidth = 0, outstanding_misses = 0,
           stores = 0, local_memory = 0;

    /// The bandwidth of all levels of cache together.
    [[nodiscard]] double cache_bandwidth() const;
    /// Misses of the level of that name; 0 where it is not there.
    [[nodiscard]] double misses(std::string_view level) const;
};

/// Predicts the time of a launch from its bottlenecks, in the manner of interval analysis
/// (Karkhanis and Smith, ISCA 2004; for GPUs Huang et al., GPUMech, MICRO 2014). It is the limit of
/// the timed simulation for warps that keep in step, computed from the same description of the
/// device.
///
/// In: the reads of one work-item (ReadStream, made by read_stream() of workbench/study), how
/// work-items are cut into groups and warps (WorkGrid), the device together with what the kernel
/// asks of it (`options`, made by options_for() of devices/launch), and the model's own options.
/// Out: cycles of the launch, and where they go. Steps: wave_of() finds which warps run side by
/// side; round_fetches() what they look up and fetch in one round; served_rounds() how many rounds
/// each level of cache serves, and memory; their bounds are added up.
///
/// The resident warps of a core make each read of the stream one after the other; this is called a
/// *round*. Let a warp look up g granules. A cache of level k (0: L1) fetches m_k granules that it
/// lacks; there are K_k such caches: one for each core, or one for all. A round that level j serves
/// fetches up to level j - 1 alone. For each read, the code of a warp (WarpCode) waits w times for
/// data, holds the issue port for c cycles, keeps this warp alone from going on for d cycles, and
/// stores s bytes. With n warps on a core, a round that level j serves takes
///   max( w s_j + max((g - 1) granule_0 / bandwidth_j, u - turn) + d,              (1)
///        n c / min(n, partitions), n u,                                           (2)
///        m_{k-1} K_{k-1} / K_k granule_{k-1} / bandwidth_k  for each k from 1 to j, (3)
///        m_0 latency_j / outstanding misses, cores n s / bandwidth_shared,
///        n l / bandwidth_local )                                                  (4)
/// where u = g / lookups is what the unit takes for one warp (more with texture.lanes, see below),
/// turn is the unit's time for its first lookup, which is part of the latency, s_j is latency_j
/// times slowest_of_some(), and l is the bytes of local memory that a warp moves for each read. Of
/// a round that L1 serves (j = 0) nothing is transferred.
///
/// These are (1) one warp after its last read, (2) the issue ports and the texture unit, (3) the
/// ports of the levels and of memory, and (4) the entries for misses, and stores, which go to the
/// first level that all cores share.
///
/// Reads that are waited for together take as long as the slowest of them. Warps that read the same
/// place share what is fetched as long as the data read in between fits into the cache, set by set.
/// In the same way a warp hits what it read earlier itself, and what work-items beside it read
/// (share_kept()). A launch is as many waves of rounds as its work-groups need; the last one may
/// have fewer warps and cores (last_wave_of()). Where the texture
/// unit works out the addresses of only a few lanes in a cycle (texture.lanes), it needs a cycle
/// for each block of memory that these few lanes read in; this sum replaces g / lookups where it is
/// larger.
///
/// Where the unit hands back only so many bytes a cycle (texture.return), a read holds it for the
/// texels of all of its lanes, if that is longer. A level of several banks, and memory of several
/// channels, take as long as their busiest one (BankSpread): the bounds (3) of a round grow by its
/// share. Spilled registers (SpillRule::body) are part of c, d and s, and what no cache holds of
/// them adds to the bound of memory.
///
/// With an overlap p (model.overlap), each bound is added up over all rounds by itself, and the
/// launch takes (sum of their p-th powers)^(1/p). The reason: where rounds of different bounds
/// overlap, no bound hides the others completely (p = 1: one after the other; p to infinity: the
/// slowest alone). With a warm L2, no read goes past the first shared level into which all images
/// and what is written fit together.
///
/// The model leaves out: the order of sets in a cache; what a wave finds in a cache of earlier
/// waves, except of inputs that do not vary along the axis on which waves follow each other
/// (CacheShare::found()) and of launches that fit into the cache as a whole; and warps that fall
/// out of step. Throws
/// bad_input where the stream has barriers and a core has no room for a whole work-group.
[[nodiscard]] BottleneckCost bottleneck_cost(const ReadStream& stream, const WorkGrid& grid,
                                             const SimulationOptions& options,
                                             const ModelOptions& model = {});

} // namespace texelscope::model
