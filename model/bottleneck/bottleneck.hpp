#pragma once

#include "model/bottleneck/model_options.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "model/bottleneck/wave.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::model {

/// Where the cycles of a launch go.
struct BottleneckCost {
    double cycles = 0;
    std::int64_t resident_warps = 1; ///< of a core
    double waves = 1;
    std::vector<double> by_input;                        ///< of the cycles
    double l1_lookups = 0, l1_misses = 0, l2_misses = 0; ///< granules of the launch
    /// Of the cycles, what each of these decided; with model.overlap, its share in the sum of
    /// powers.
    double latency = 0, issue = 0, texture_unit = 0, l2_bandwidth = 0, memory_bandwidth = 0,
           outstanding_misses = 0, stores = 0, local_memory = 0;
};

/// Time of a launch from its bottlenecks, in the manner of interval analysis (Karkhanis and Smith,
/// ISCA 2004; for GPUs Huang et al., GPUMech, MICRO 2014): the limit of the timed simulation for
/// warps that keep in step, from the same description of the device.
///
/// The resident warps of a core make each read of the stream one after the other, a *round*. Let a
/// warp look up g granules, of which all n warps of the core together fetch m and all cores M lines
/// of memory anew. For each read, the code of a warp (WarpCode) waits w times for data, issues for
/// c cycles, of which it needs d to itself, and stores s bytes. A round takes
///   max( w latency(m, M) + (g - 1) max(1 / lookups, granule / bandwidth) + d,   one warp after its
///   last read
///        n c / partitions, n g / lookups,                              issue ports, texture unit
///        cores m granule / L2 bandwidth, M line / memory bandwidth,    ports that the cores share
///        m latency / outstanding misses, cores n s / L2 bandwidth )    entries for misses, stores
/// where latency is that of L1 (m = 0), L2 (M = 0) or memory, and of reads that are waited for
/// together that of the slowest. Warps that read the same place share what is fetched while what
/// lies between them fits into the cache, set by set, and so does one warp with its own earlier
/// reads and with those of work-items beside it (share_kept()). A launch is as many waves of rounds
/// as its work-groups need. Where the texture unit works out the addresses of a few lanes in a
/// cycle (texture.lanes), it takes the blocks of memory that each such few read in, added up, where
/// these are more than g / lookups. With an overlap p (model.overlap), each of these is added up
/// over all rounds by itself, and the launch takes (sum of their p-th powers)^(1/p): where rounds
/// of different bounds overlap, none of them hides the others as a whole (p = 1: one after the
/// other; p to infinity: the slowest alone). With a warm L2, images are there when the launch
/// begins if they fit into it as a whole, with what is written.
///
/// What it leaves out: the order of sets in a cache, waves that find in L2 what others left (but
/// for launches that fit it as a whole), warps that fall out of step. `options`: of the kernel
/// (registers).
[[nodiscard]] BottleneckCost bottleneck_cost(const ReadStream& stream, const WorkGrid& grid,
                                             const SimulationOptions& options,
                                             const ModelOptions& model = {});

} // namespace texelscope::model
