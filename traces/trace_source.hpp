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

// Traces: what the simulator reads.
//
// A TraceSource is one launch as its warps see it, whatever it comes from: access functions
// (launch_source.hpp), a trace file (native/, formats/), a captured program, or a test. Callers ask
// in this order:
//
//   images()                           what lanes read: LaneRead::image is an index into it
//   next_group(from), warps(group)     which work-groups and warps read something
//   open(group, warp)                  a WarpStream, whose next() yields one WarpAccess after
//                                      another, until it returns false
//
// AccessWalk (access_walk.hpp) walks through all of it. A source is lazy: it need not hold its
// accesses in memory, so traces may have any length.
//
// What always holds: a source never changes, and opening the same warp again gives the same
// accesses; steps of a warp ascend, and the lanes of an access do, too.

/// The read of one lane. Coordinates are as the kernel computed them: they may lie outside of the
/// image.
struct LaneRead {
    Texel texel;
    std::uint16_t image = 0; ///< index into TraceSource::images()
    std::uint16_t lane = 0;  ///< position in the warp

    bool operator==(const LaneRead&) const = default;
};

/// Lanes that many accesses share, each time moved as a whole.
struct RepeatedLanes {
    std::vector<LaneRead> lanes;
    int number = -1; ///< the reader of the stream may set it, to recognise the lanes
};

/// One access of a warp: the reads of its active lanes in one step, in lane order. At least one
/// lane is active; steps in which every lane is inactive are not delivered.
struct WarpAccess {
    std::uint32_t step = 0;
    std::vector<LaneRead> lanes;
    /// Only WarpStream::next_repeated() sets it. Where it is not null, the lanes of the access are
    /// these, moved by `shift`, and `lanes` has no meaning.
    std::shared_ptr<RepeatedLanes> repeated = nullptr;
    Texel shift = {};

    // Faster than std::swap, which moves three times and destroys a temporary.
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
    /// Writes the next access to `access`, whose storage is reused, and returns true; returns false
    /// at the end.
    virtual bool next(WarpAccess& access) = 0;
    /// As next(), but may give `repeated` lanes in place of `lanes`.
    virtual bool next_repeated(WarpAccess& access) { return next(access); }
};

/// A launch as its warps see it; see the top of this file. Work-groups are numbered x fastest, then
/// y, then z, and so are the work-items of a group. Warp v of a group holds the work-items
/// v*warp_size .. (v+1)*warp_size-1. A warp that reads nothing does not exist: it takes no slot on
/// a core.
class TraceSource {
public:
    virtual ~TraceSource() = default;

    [[nodiscard]] virtual const std::string& name() const = 0;
    /// The launch whose access functions the source evaluates; null for other sources.
    [[nodiscard]] virtual const Launch* launch() const { return nullptr; }
    [[nodiscard]] virtual std::span<const Image> images() const = 0;
    /// Upper bound (exclusive) of the group numbers.
    [[nodiscard]] virtual std::int64_t group_count() const = 0;
    /// The first group number >= `from` that may read something, or group_count() where there is
    /// none. With it, callers skip large gaps between group numbers at no cost.
    [[nodiscard]] virtual std::int64_t next_group(std::int64_t from) const { return from; }
    /// Numbers of the warps of `group` that read something, ascending; may be empty.
    [[nodiscard]] virtual std::vector<std::int32_t> warps(std::int64_t group,
                                                          int warp_size) const = 0;
    /// Opens one of those warps.
    [[nodiscard]] virtual std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t warp,
                                                           int warp_size) const = 0;
};

} // namespace texelscope::traces
