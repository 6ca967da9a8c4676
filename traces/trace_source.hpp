#pragma once

#include "traces/image.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::traces {

struct Launch;

/// The read of one lane. Coordinates are as the kernel computed them: they may lie outside of the
/// image.
struct LaneRead {
    Texel texel;
    std::uint16_t image = 0; ///< index into TraceSource::images()
    std::uint16_t lane = 0;  ///< position in the warp

    bool operator==(const LaneRead&) const = default;
};

/// Lanes that come again and again, moved as a whole.
struct RepeatedLanes {
    std::vector<LaneRead> lanes;
    int number = -1; ///< for whoever reads the stream, to know them again by
};

/// Step `step` of one warp: the reads of its active lanes, in lane order. An access may have no
/// lane at all only where every lane is inactive; such accesses are not delivered.
struct WarpAccess {
    std::uint32_t step = 0;
    std::vector<LaneRead> lanes;
    /// Only after WarpStream::next_repeated(): where there are some, the lanes are these, moved by
    /// `shift`, and `lanes` means nothing.
    std::shared_ptr<RepeatedLanes> repeated = nullptr;
    Texel shift = {};

    // std::swap would move three times, and clean up
    friend void swap(WarpAccess& a, WarpAccess& b) noexcept
    {
        std::swap(a.step, b.step);
        a.lanes.swap(b.lanes);
        a.repeated.swap(b.repeated);
        std::swap(a.shift, b.shift);
    }
};

/// The accesses of one warp, in order of their steps.
class WarpStream {
public:
    virtual ~WarpStream() = default;
    /// Fills `access` (whose storage is reused) and returns true, or returns false at the end.
    virtual bool next(WarpAccess& access) = 0;
    /// The same, but may give `repeated` lanes in place of `lanes`.
    virtual bool next_repeated(WarpAccess& access) { return next(access); }
};

/// A launch as the warps see it. Lazy: a source need not hold its accesses in memory. Work-groups
/// are numbered x fastest, then y, then z; the work-items of a group likewise; warp v of a group
/// holds the work-items v*warp_size .. (v+1)*warp_size-1. A warp that reads nothing does not exist:
/// it takes no slot on a core.
class TraceSource {
public:
    virtual ~TraceSource() = default;

    [[nodiscard]] virtual const std::string& name() const = 0;
    /// The access functions that the source evaluates, where it does.
    [[nodiscard]] virtual const Launch* launch() const { return nullptr; }
    [[nodiscard]] virtual std::span<const Image> images() const = 0;
    /// Upper bound (exclusive) of the group numbers.
    [[nodiscard]] virtual std::int64_t group_count() const = 0;
    /// The first group number >= `from` that may read something, or group_count(): sparse numbers
    /// cost nothing.
    [[nodiscard]] virtual std::int64_t next_group(std::int64_t from) const { return from; }
    /// Numbers of the warps of `group` that read something, ascending. May be empty.
    [[nodiscard]] virtual std::vector<std::int32_t> warps(std::int64_t group,
                                                          int warp_size) const = 0;
    /// Opens one of those warps.
    [[nodiscard]] virtual std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t warp,
                                                           int warp_size) const = 0;
};

} // namespace texelscope::traces
