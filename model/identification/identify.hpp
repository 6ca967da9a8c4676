#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "model/statistics/fit_error.hpp"
#include "model/tmmodel/latency_fit.hpp"
#include "model/walks/measured_walks.hpp"
#include "sim/cache/cache_geometry.hpp"
#include "sim/layout/texel_layout.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::model {

/// A storage layout and the cache in front of it: what decides which reads of a walk miss.
struct TextureCache {
    LayoutSpec layout;
    CacheGeometry l1;

    bool operator==(const TextureCache&) const = default;
};

/// Width and height in texels of what one fetch brings: the smallest rectangle around the texels of
/// the first granule.
[[nodiscard]] Extent2D fetch_granule(const TextureCache& cache, Extent2D extent,
                                     Bytes bytes_per_texel);

/// Misses per read of each walk in a simulated cache that is cold when the walk starts.
[[nodiscard]] std::vector<double> miss_ratios(const TextureCache& cache, Extent2D extent,
                                              Bytes bytes_per_texel,
                                              const std::vector<TexelWalk>& walks);

/// How much less error unusual traits must earn for a cache to be preferred: a factor on its error,
/// 1 plus 1 % for each of sectors, a hashed index, a replacement other than LRU, and a capacity
/// that is no power of two.
[[nodiscard]] double surcharge(const CacheGeometry& geometry);

/// What is searched, and how.
struct IdentifyOptions {
    int folds = 5; ///< of the cross-validation, 2 or more
    std::uint64_t seed = 1;
    /// Layouts to try in addition to layout_candidates()
    std::vector<LayoutSpec> extra_layouts = {};
    Bytes most_capacity{1024 * 1024}; ///< largest capacity of a cache that is tried
    /// Reads of the walks on which the many are told from the few.
    std::int64_t panel_reads = 500'000;
    /// Half as many of which, and three times as many structures, get a closer look.
    std::size_t shapes = 12;
    std::size_t structures = 32;   ///< structures that go on from the panel to all walks
    std::size_t explanations = 64; ///< explanations that are kept
    int threads = 2;
};

/// One way to explain the walks, with all caches that explain them in the same way.
struct Explanation {
    TextureCache cache; ///< the simplest of `equivalents`
    Extent2D granule;   ///< texels of one fetch
    LatencyLine latency;
    FitError fit;
    /// Probability that this is the explanation of least error, among all that were tried, in the
    /// light of these walks: the share of random reweightings of the walks for which it is (the
    /// Bayesian bootstrap of Rubin, 1981), divided among those whose errors are within 1 % of the
    /// least. It assumes nothing about how errors are distributed.
    double weight = 0;
    /// Caches with exactly the same misses on every walk: the walks cannot tell them apart. The
    /// simplest first.
    std::vector<TextureCache> equivalents;
    std::vector<double> predicted; ///< ns per read, by walk
};

/// How much evidence there is for each value of one property ("capacity", "layout", ..).
struct PropertySupport {
    struct Value {
        std::string text;
        /// Sum of the weights of the explanations that have an equivalent with this value.
        double support = 0;
    };
    std::string property;
    std::vector<Value> values; ///< the most supported first; those below 1 % are left out
    /// Whether only one value has 5 % or more.
    [[nodiscard]] bool determined() const { return values.size() < 2 || values[1].support < 0.05; }
};

struct Identification {
    std::vector<Explanation> explanations; ///< the least error times surcharge() first
    /// Of the whole procedure: for each fold, everything is chosen and fitted on the other folds'
    /// walks alone.
    FitError held_out;
    std::vector<double> held_out_predicted; ///< ns per read, by walk
    std::vector<TextureCache> fold_choices; ///< what each fold chose
    /// Mean relative error of one latency for all walks, which is what knowing no cache gives.
    double error_of_one_latency = 0;
    std::vector<PropertySupport> support;
    std::int64_t layouts = 0; ///< tried
    /// Tried, on the panel or on all walks, those that the walks cannot tell apart counted once.
    std::int64_t caches = 0;
};

/// Whether a cache explains the walks: held out, it errs at most half as much as one latency for
/// all of them.
[[nodiscard]] bool explains_walks(const Identification& identification);

/// Recovers storage layout and cache from measured walks, by search with the simulator's caches in
/// the loop:
///
/// 1. Which reads of a walk share a line (of 16 to 256 bytes, not less than a texel) and a sector
///    (none, or a half, quarter or eighth of the line) does not depend on the sets. Layouts that
///    agree in this for all walks form one *shape*.
/// 2. Every layout, line and sector is tried with 1, 4, 32 and 256 sets, indexed by modulo or xor
///    folding, again with any ways; structures with the same sets for all lines are tried once.
///    This is done on a *panel* of walks, chosen without looking at latencies: those whose misses
///    depend most on the cache's size. The layouts, lines and sectors of the best structures, and
///    those of the best shapes, then are tried with every power of two up to 4096 sets on a larger
///    panel; then all layouts of the two shapes that do best there; and the best of these
///    structures on all walks.
/// 3. The best structures are tried with FIFO, tree-PLRU and random replacement.
///
/// Ways are those with at most four significant bits, so capacities are too. Each cache is scored
/// by the mean absolute percentage error of fit_latency(), times surcharge(). The same walks,
/// options and seed give the same result, whatever the threads. Throws bad_input where the walks do
/// not validate or there are fewer than twice as many as folds; Interrupted.
[[nodiscard]] Identification identify(const MeasuredWalks& measured,
                                      const IdentifyOptions& options = {},
                                      const Progress& progress = {}, const StopToken& stop = {});

/// The weighted vote of the explanations on each property: layout, granule, capacity, line, sector,
/// sets, ways, index, replacement.
[[nodiscard]] std::vector<PropertySupport>
property_support(const std::vector<Explanation>& explanations, Extent2D extent,
                 Bytes bytes_per_texel);

} // namespace texelscope::model
