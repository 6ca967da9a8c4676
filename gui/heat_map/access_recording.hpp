#pragma once

#include "base/units.hpp"
#include "sim/memory/coalescer.hpp"
#include "sim/result/line_origins.hpp"
#include "sim/simulate.hpp"
#include "workbench/study/launch_result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// A line (sector) that a cache holds.
struct HeldLine {
    std::int64_t address = 0; ///< of its first byte
    ImageTexel origin;        ///< the texel that brought it in

    bool operator==(const HeldLine&) const = default;
};

/// What one cache held at any moment of a simulation. It keeps the fills and evictions that the
/// simulator reported, and from time to time a snapshot of the contents, so that any moment is
/// found without replaying everything before it.
class LineHistory {
public:
    explicit LineHistory(Bytes line) : line_(line.value) {}

    /// Records that access number `access` (ascending) brought a line (sector) in. `evicted`:
    /// address of the first byte of the line that made room.
    void fill(std::int64_t access, const HeldLine& line, std::optional<std::int64_t> evicted);

    /// The contents after that access, by ascending address.
    [[nodiscard]] std::vector<HeldLine> after(std::int64_t access) const;

    /// How many entries are kept, so that a caller can bound the memory.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    struct Change {
        std::int64_t access;
        HeldLine line;
        std::int64_t evicted; ///< -1: none
    };
    /// Contents before change number `changes`.
    struct Snapshot {
        std::size_t changes;
        std::vector<HeldLine> held;
    };
    void apply(const Change& change, std::vector<HeldLine>& held) const;

    std::int64_t line_;
    std::vector<Change> changes_;
    std::vector<Snapshot> snapshots_;
    std::vector<HeldLine> held_; ///< now, by ascending address
    std::size_t size_ = 0;
};

/// One warp access of a recording.
struct RecordedAccess {
    std::int64_t group = 0;
    std::int32_t warp = 0;
    std::uint32_t step = 0;
    Texel first;         ///< of the first lane
    std::int32_t shape;  ///< of the lanes around it
    std::uint16_t image; ///< that all lanes read
    std::uint16_t core = 0;
    std::uint16_t lookups = 0; ///< distinct lines (sectors)
    std::uint16_t misses = 0;  ///< in L1
};

/// Writes down a simulation that it watches, up to a limit: which texels each warp access reads,
/// and what the L1 caches hold. The caches are the simulator's own; this only keeps what it
/// reports.
class AccessRecording : public SimulationObserver {
public:
    /// `limit`: how many entries are kept, each of ten to forty bytes. What comes after that is
    /// left out.
    AccessRecording(const SimulationOptions& options, std::size_t limit);

    void on_access(int core, std::int64_t group, std::int32_t warp, std::uint32_t step,
                   std::int64_t access_index, std::span<const LaneRead> lanes) override;
    void on_lookup(const LookupEvent& event) override;

    /// Whether the limit is reached.
    [[nodiscard]] bool full() const { return full_; }
    [[nodiscard]] std::size_t size() const { return accesses_.size(); }
    [[nodiscard]] const RecordedAccess& access(std::size_t number) const
    {
        return accesses_[number];
    }
    /// The texels that its lanes read, in the order of the lanes.
    [[nodiscard]] std::vector<Texel> lanes(std::size_t number) const;
    /// What the L1 of its core holds once it is done, by ascending address.
    [[nodiscard]] std::vector<HeldLine> held(std::size_t number) const;

private:
    [[nodiscard]] std::size_t kept() const;

    std::size_t limit_;
    bool full_ = false;
    std::vector<RecordedAccess> accesses_;
    LaneShapes shapes_;
    std::vector<LineHistory> l1_; ///< by core
    std::size_t shape_lanes_ = 0;
    std::vector<std::int32_t> x_; ///< of the access under way
    std::vector<std::int32_t> y_;
};

/// Records the accesses of a launch, by simulating it again in untimed mode. `limit`: see
/// AccessRecording. Throws Interrupted when `stop` answers true.
[[nodiscard]] AccessRecording record_accesses(const LaunchResult& launch, std::size_t limit,
                                              const Progress& progress = {},
                                              const StopToken& stop = {});

/// One moment of a recording, as it is shown.
struct PlaybackFrame {
    RecordedAccess access;
    std::vector<Texel> lanes;
    std::vector<HeldLine> held;
};

} // namespace texelscope::gui
