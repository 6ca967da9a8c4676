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
    std::int64_t granule = 0;
    Texel texel; ///< of the first lane that needs it
};

/// Finds out which lookup of a log was the first of its granule, in the order of time. Other than
/// hits and misses, that does not repeat with the contents of the caches: each repetition finds
/// more granules touched before.
class FirstTouches {
public:
    /// `granule`: bytes.
    FirstTouches(int cores, std::int64_t granule)
        : granule_(granule), touched_(static_cast<std::size_t>(cores))
    {}

    using Visit = std::function<void(const FirstTouch&)>;

    /// Visits the first touches among the accesses of a log, and remembers them. Its time is that
    /// of the accesses that are in the log, and of the distinct granules of each repetition.
    void add(const AccessLog& log, const LaneShapes& shapes, LinePatterns& patterns,
             StopCheck& check_stop, const Visit& visit);

private:
    using IsNew = std::function<bool(std::uint16_t core, std::int64_t granule)>;
    /// Visits what is new in a stretch of the log. `is_new` is asked in the order of time, and
    /// remembers.
    void walk(AccessLog::Position from, AccessLog::Position to, const AccessLog& log,
              const LaneShapes& shapes, LinePatterns& patterns, const IsNew& is_new,
              const Visit& visit) const;

    /// Whether it is the first; remembers it.
    bool touch(std::uint16_t core, std::int64_t granule);

    std::int64_t granule_;
    std::vector<BitField> touched_; ///< by core
};

} // namespace texelscope::sim
