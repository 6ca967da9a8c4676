#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/options/options.hpp"
#include "sim/reuse/reuse_distance.hpp"
#include "sim/simulate.hpp"
#include "traces/trace_source.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/study/prediction.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace texelscope::workbench::tuning {

/// How much of a launch a reuse profile looks at. A whole trace takes as long as it has lookups,
/// which is what makes a model of this kind slow (TMModel, section 6.5, table 5); the defaults look
/// at the start of a launch alone. What is used again only later than that counts as touched once.
/// What is walked takes 4 bytes a lookup, for the turns at the L2.
struct ReuseExtent {
    std::int64_t accesses = 4096; ///< of the warps of each core that is walked, at most
    /// Of each of these cores (batch schedule; else the accesses alone bound).
    std::int64_t occupancy_groups = 1;
    int cores = 4; ///< that are walked, at most

    [[nodiscard]] static ReuseExtent whole()
    {
        return {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max(),
                std::numeric_limits<int>::max()};
    }
};

/// Stack distances of a launch at each level of cache.
struct ReuseProfile {
    /// L1, then the levels behind it that are there, towards memory; in lines of the level, or of
    /// L1 where those are longer. At a core's own levels: of the lookups of the first core, as long
    /// as that core reads anything. At levels that all cores share: of all cores that were walked,
    /// which take turns access by access (one that touches no memory takes none). What a level
    /// before would answer is in it too.
    std::vector<ReuseDistanceHistogram> levels;
    std::int64_t accesses = 0; ///< of the first core's warps that were walked
    int cores = 0;             ///< walked; one where they share no cache
};

/// Walks through a launch in the order of the untimed simulation: the resident warps of a core take
/// turns. Nothing is simulated. Throws bad_input where the options are invalid or the dispatch is
/// dynamic, and Interrupted.
[[nodiscard]] ReuseProfile reuse_profile(const TraceSource& source,
                                         const SimulationOptions& options,
                                         const ReuseExtent& extent = {},
                                         const StopToken& stop = {});

/// The probability that a lookup at stack distance D hits in a cache of S sets of A ways (LRU),
/// where each of the D lines used in between is as likely to fall in any set as in another:
///   P(hit | D) = sum_{a < A} C(D, a) (1/S)^a ((S-1)/S)^(D-a)
/// (Hill and Smith, "Evaluating associativity in CPU caches", 1989; Brehob and Enbody 1999). With S
/// = 1 it is 1 below A and 0 from there on. `sets` >= 1 may be a fraction, of a cache that is
/// shared. Throws bad_input for a negative distance, sets below 1 or ways below 1.
[[nodiscard]] double hit_probability(std::int64_t distance, double sets, int ways);

/// The share of lookups that hit, on average over those probabilities; first touches miss. 0
/// without lookups. Throws bad_input where the histogram was counted up to a depth that something
/// exceeds.
[[nodiscard]] double hit_ratio(const ReuseDistanceHistogram& histogram, double sets, int ways);

struct ReuseModelOptions {
    /// false: images are stored in rows, as a model of 1D memory takes them to be. true: in the
    /// device's layout.
    bool device_layout = false;
    ReuseExtent extent = {};
};

/// What the model says of one launch.
struct ReusePrediction {
    /// Share of the lookups that this level is the first to have; by level, as
    /// ReuseProfile::levels.
    std::vector<double> hits;
    Nanoseconds latency{0}; ///< of a lookup, on average
    double lookups = 0;     ///< of the whole launch, in L1 lines
    Nanoseconds cost{0};    ///< latencies of all lookups, over the warps that run at once
    /// Share of a core's accesses that was looked at; 1: all (of an average core).
    double walked = 0;
};

/// A model in the manner of PPT-GPU-Mem (Arafa et al., "Fast, accurate, and scalable memory
/// modeling of GPGPUs using reuse profiles", ICS 2020; TMModel, section 6.1, its baseline PPT-GPU):
/// stack distances of the interleaved warps, hit_probability() of each, and from the hit ratios
///   latency = sum over the levels k of h_k t_k + (1 - sum of h_k) t_memory
///   cost    = lookups * latency / (cores * resident warps)
/// The first is the mean latency of a lookup; the second is ours, a proportion that ranks: it
/// leaves out arithmetic, bandwidth, and latencies that overlap within a warp. Lookups beyond the
/// extent are taken to be as those within. A shared level is seen by the cores that are walked:
/// where these are fewer than there are, it has as many sets less. Caches are LRU for it, whatever
/// they are, and spread lines evenly over their sets, which strides that are multiples of the sets
/// do not; a sector of a line that is there counts as there. `options` as options_for() makes them.
/// Throws as reuse_profile() does.
[[nodiscard]] ReusePrediction predict_by_reuse(const LoopNest& nest,
                                               const SimulationOptions& options,
                                               const ReuseModelOptions& model = {},
                                               const StopToken& stop = {});

/// The cost of each element of a space, by number; nothing where an element is illegal or breaks a
/// limit of the device. Throws Interrupted, and as reuse_profile() does.
[[nodiscard]] std::vector<std::optional<Nanoseconds>>
reuse_costs(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
            const ReuseModelOptions& model = {}, const std::function<void(double)>& progress = {},
            const StopToken& stop = {});

/// The space in ascending order of cost, the `keep` best (0: all). One prediction takes
/// milliseconds and there is one for each element, so that large spaces take minutes.
[[nodiscard]] Ranking rank_by_reuse_distance(const Operator& op, const DeviceProfile& device,
                                             const ConfigurationSpace& space,
                                             const ReuseModelOptions& model = {},
                                             std::size_t keep = 0,
                                             const std::function<void(double)>& progress = {},
                                             const StopToken& stop = {});

/// What the model chooses from in TMModel's comparison, section 6.1 and table 2: the pattern of
/// each input (A), and with it the warp shape; tile and work-group are those of the operator's
/// default schedule. Throws bad_input where nothing fits the device.
[[nodiscard]] ConfigurationSpace pattern_space(const Operator& op, const DeviceProfile& device);

} // namespace texelscope::workbench::tuning
