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
/// The simulation calls add() for every access that it simulates, and count() when the log of
/// accesses is full and at the end; then maps() has the result.
///
/// For each access of the log the recorder keeps what its lookups met: hit or miss, and so on.
/// Where the contents of the caches come back translated, the lookups that follow meet the same,
/// translated. So reads, misses, and misses of the fully associative cache of the same capacity are
/// counted once for all repetitions (RepeatedCounts). Compulsory misses are first touches
/// (FirstTouches), and the other kinds follow as differences, as everywhere.
///
/// An eviction is counted at the texel whose read had brought the line in. So where evictions are
/// wanted, that texel of each line (its origin) is part of the contents, and must come back
/// translated, too.
class HeatRecorder {
public:
    /// `images` must outlive this. Reuse is not counted here: `request` must not ask for it.
    HeatRecorder(std::span<const StoredImage> images, const SimulationOptions& options,
                 const HeatRequest& request);

    /// Adds an access: `placed` has its granules, and `details` what the lookup of each met. The
    /// caller adds the access to the log as well.
    void add(const LoggedAccess& access, const LaneShape& shape, const LinePatterns::Placed& placed,
             std::span<const LookupDetail> details);
    /// Number of entries kept since the last count().
    [[nodiscard]] std::size_t size() const { return lookups_.size() + origins_of_evicted_.size(); }
    /// Counts everything in the log, which holds the accesses added since the last count(), with
    /// their repetitions. Then forgets these accesses.
    void count(const AccessLog& log, const LaneShapes& shapes, LinePatterns& patterns,
               StopCheck& check_stop);

    /// By core, the origins of the lines that L1 holds: which texel's read brought each in. Empty
    /// where evictions are not wanted.
    using Origins = std::vector<LineOrigins::Lines>;
    [[nodiscard]] const Origins& origins() const { return origins_.lines(); }
    /// Whether the origins are those of an earlier moment (`before`), translated.
    [[nodiscard]] bool is_shifted(const Origins& before, const MemoryShift& shift,
                                  const std::vector<Texel>& step) const;
    /// Forgets all origins, when the cores are done.
    void forget_origins() { origins_.replace({}); }
    /// Puts the origins back as they were at an earlier moment.
    void restore(const Origins& origins) { origins_.replace(origins); }
    /// Translates the origins `times` times.
    void shift(const MemoryShift& shift, const std::vector<Texel>& step, std::int64_t times);

    /// The heat maps, after the last count().
    [[nodiscard]] HeatMaps maps(std::span<const Image> images);

private:
    enum Channel : std::size_t { reads, misses, ideal_misses, evictions };
    /// Where the lookups of a logged access are kept: indices of the first one.
    struct Kept {
        std::uint32_t lookups = 0; ///< into lookups_
        std::uint32_t evicted = 0; ///< into origins_of_evicted_
    };

    /// The line of L1 that a granule is part of.
    [[nodiscard]] std::int64_t line_of(std::int64_t granule) const
    {
        return granule * granule_ / line_;
    }
    struct SharedTexel {
        Texel texel;            ///< relative to the texel of the first lane
        std::int64_t lanes = 0; ///< number of lanes that read it
    };
    /// The distinct texels that a shape reads.
    const std::vector<SharedTexel>& texels_of(int shape, const LaneShapes& shapes);
    /// The texel where a read of `texel` touches memory: clamped to the image.
    [[nodiscard]] Texel inside(std::size_t image, Texel texel) const;
    /// Counts a stretch of the log. `repeats`: by image, the repetitions around it.
    void count_stretch(AccessLog::Position from, AccessLog::Position to, const AccessLog& log,
                       const LaneShapes& shapes, LinePatterns& patterns,
                       std::vector<std::vector<Repetition>>& repeats, StopCheck& check_stop);
    /// Keeps the origins up to date after a lookup, and keeps the origin of an evicted line.
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
