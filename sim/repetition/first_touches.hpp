#pragma once

#include "base/stop.hpp"
#include "sim/layout/bit_field.hpp"
#include "sim/repetition/access_log.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace texelscope::sim {

/// The first lookup of a granule by a core.
struct FirstTouch {
    std::uint16_t core = 0;
    std::uint16_t image = 0;
    std::int64_t granule = 0; ///< number of the granule
    Texel texel;              ///< texel of the first lane that needs the granule
};

/// Finds the lookups of a log that were the first of their granule by their core, in the order of
/// time. Unlike hits and misses, first touches do not repeat when the contents of the caches do:
/// each repetition finds more granules that were touched before.
class FirstTouches {
public:
    /// `granule`: bytes.
    FirstTouches(int cores, std::int64_t granule)
        : granule_(granule), touched_(static_cast<std::size_t>(cores))
    {}

    using Visit = std::function<void(const FirstTouch&)>;

    /// Visits the first touches among the accesses of a log, and remembers them. The time that it
    /// takes grows with the number of accesses in the log, and with the number of distinct granules
    /// of each repetition.
    void add(const AccessLog& log, const LaneShapes& shapes, LinePatterns& patterns,
             StopCheck& check_stop, const Visit& visit);

private:
    using IsNew = std::function<bool(std::uint16_t core, std::int64_t granule)>;
    /// Visits the lookups of a stretch of the log for which `is_new` returns true. `is_new` is
    /// asked in the order of time, and remembers what it was asked.
    void walk(AccessLog::Position from, AccessLog::Position to, const AccessLog& log,
              const LaneShapes& shapes, LinePatterns& patterns, const IsNew& is_new,
              const Visit& visit) const;

    /// Whether this is the core's first touch of the granule; remembers it.
    bool touch(std::uint16_t core, std::int64_t granule);

    std::int64_t granule_;
    std::vector<BitField> touched_; ///< by core: granules that it has looked up
};

} // namespace texelscope::sim
