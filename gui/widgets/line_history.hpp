#pragma once

#include "base/units.hpp"
#include "sim/result/line_origins.hpp"

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

/// What one cache held at any moment of a simulation: its fills and evictions, as the simulator reported them, with the
/// contents written down now and then, so that a moment is found without going through everything before it.
class LineHistory {
public:
    explicit LineHistory(Bytes line) : line_(line.value) {}

    /// Access number `access` (ascending) brought a line (sector) in; `evicted` is the first byte of the line that gave way.
    void fill(std::int64_t access, const HeldLine& line, std::optional<std::int64_t> evicted);

    /// What was held once that access was done, by ascending address.
    [[nodiscard]] std::vector<HeldLine> after(std::int64_t access) const;

    /// Numbers of lines written down, to bound the memory.
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

} // namespace texelscope::gui
