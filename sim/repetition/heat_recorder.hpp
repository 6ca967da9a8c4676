#pragma once

#include "sim/memory/cache_hierarchy.hpp"
#include "sim/repetition/access_log.hpp"
#include "sim/repetition/first_touches.hpp"
#include "sim/repetition/repeated_counts.hpp"
#include "sim/result/heat_map.hpp"
#include "sim/result/line_origins.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Collects heat maps from a simulation that jumps over repetition.
///
/// Beside the log of accesses it keeps what their lookups met. Where the contents of the caches
/// come back translated, the lookups that follow meet the same, translated: reads, misses, and
/// misses of the fully associative cache of the same capacity are counted once for all repetitions
/// (RepeatedCounts). Compulsory misses are first touches (FirstTouches); the other kinds are
/// differences, as everywhere. An eviction is counted at the texel that had brought the line in, so
/// for evictions that texel belongs to the contents: it must come back translated too.
class HeatRecorder {
public:
    /// `images` must outlive this. Does not count reuse.
    HeatRecorder(std::span<const StoredImage> images, const SimulationOptions& options,
                 const HeatRequest& request);

    /// An access whose granules lie as found in its image, what its lookups met. It goes to the log
    /// as well.
    void add(const LoggedAccess& access, const LaneShape& shape, const LinePatterns::Placed& placed,
             std::span<const LookupDetail> details);
    /// How much was kept since the log was counted.
    [[nodiscard]] std::size_t size() const { return lookups_.size() + origins_of_evicted_.size(); }
    /// Counts what the log, which holds those accesses, tells, and starts anew.
    void count(const AccessLog& log, const LaneShapes& shapes, LinePatterns& patterns,
               StopCheck& check_stop);

    /// For evictions, where the lines that L1 holds come from: empty where evictions are not
    /// wanted.
    using Origins = std::vector<LineOrigins::Lines>; ///< by core
    [[nodiscard]] const Origins& origins() const { return origins_.lines(); }
    /// Whether the lines come from where they came from at another moment, translated.
    [[nodiscard]] bool is_shifted(const Origins& before, const MemoryShift& shift,
                                  const std::vector<Texel>& step) const;
    /// Of cores that are done.
    void forget_origins() { origins_.replace({}); }
    /// Puts them back as they were.
    void restore(const Origins& origins) { origins_.replace(origins); }
    /// Translates them `times` times.
    void shift(const MemoryShift& shift, const std::vector<Texel>& step, std::int64_t times);

    /// After the end.
    [[nodiscard]] HeatMaps maps(std::span<const Image> images);

private:
    enum Channel : std::size_t { reads, misses, ideal_misses, evictions };
    /// Where the lookups of a logged access are kept.
    struct Kept {
        std::uint32_t lookups = 0;
        std::uint32_t evicted = 0;
    };

    [[nodiscard]] std::int64_t line_of(std::int64_t granule) const
    {
        return granule * granule_ / line_;
    }
    struct SharedTexel {
        Texel texel; ///< relative to the first lane
        std::int64_t lanes = 0;
    };
    /// The distinct texels that a shape reads.
    const std::vector<SharedTexel>& texels_of(int shape, const LaneShapes& shapes);
    [[nodiscard]] Texel inside(std::size_t image, Texel texel) const;
    void count_stretch(AccessLog::Position from, AccessLog::Position to, const AccessLog& log,
                       const LaneShapes& shapes, LinePatterns& patterns,
                       std::vector<std::vector<Repetition>>& repeats, StopCheck& check_stop);
    /// Of the line that a lookup throws out; keeps the origins up to date.
    void follow_origins(int core, const LookupDetail& detail, std::int64_t granule,
                        ImageTexel texel);

    std::span<const StoredImage> images_;
    HeatRequest request_;
    std::int64_t line_;
    std::int64_t granule_;
    bool wants_reads_;
    bool wants_misses_;
    bool wants_ideal_;
    bool wants_compulsory_;
    bool wants_evictions_;

    std::vector<RepeatedCounts> counts_;                ///< by image
    std::vector<std::vector<std::int64_t>> compulsory_; ///< by image
    FirstTouches first_touches_;

    std::vector<std::vector<SharedTexel>> texels_; ///< by shape
    std::vector<Kept> kept_;                       ///< by access of the log
    std::vector<std::uint8_t> lookups_;
    std::vector<ImageTexel> origins_of_evicted_;
    LineOrigins origins_;
};

} // namespace texelscope::sim
