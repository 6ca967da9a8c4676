#pragma once

#include "sim/layout/bit_field.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/memory/line_patterns.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// One warp access.
struct LoggedAccess {
    Texel first;        ///< of the first lane
    std::int32_t shape; ///< in LaneShapes
    std::uint16_t image;
    std::uint16_t core;
};

/// What a simulation that jumps has done, in a form that is as short as what it has simulated:
/// accesses, and how often stretches of them were repeated, each time a step further on.
class AccessLog {
public:
    /// A moment in the log.
    struct Position {
        std::size_t accesses = 0;
        std::size_t repeats = 0;
    };

    /// A stretch that happened again.
    struct Repeat {
        Position from;
        Position to;
        Position at; ///< when it happened again: where it was written
        std::vector<Texel> step;
        std::int64_t times;
    };

    void add(const LoggedAccess& access) { accesses_.push_back(access); }
    /// What happened between two moments happens `times` times more, moved by `step` (by image, in
    /// texels) each time.
    void repeat(Position from, Position to, std::vector<Texel> step, std::int64_t times);

    [[nodiscard]] Position position() const { return {accesses_.size(), repeats_.size()}; }
    /// Numbers held.
    [[nodiscard]] std::size_t size() const { return accesses_.size() + repeats_.size(); }
    void clear();
    /// In the order of time; a repetition comes after the accesses and repetitions of its stretch,
    /// and before the access of number at.accesses.
    [[nodiscard]] std::span<const LoggedAccess> accesses() const { return accesses_; }
    [[nodiscard]] std::span<const Repeat> repeats() const { return repeats_; }

    /// How many times what happened between two moments can move by `step` so that every lane
    /// inside of its image stays inside, and every lane outside stays on its side; 0 where a lane
    /// that is held at an edge would move along with others.
    [[nodiscard]] std::int64_t most_repeats(Position from, Position to, std::span<const Texel> step,
                                            std::span<const StoredImage> images,
                                            const LaneShapes& shapes) const;

    /// Adds the granules (of `granule` bytes) that were looked up: to fields[core * images +
    /// image].
    void collect_granules(std::span<BitField> fields, std::size_t images, std::int64_t granule,
                          LinePatterns& patterns) const
    {
        collect_granules({}, position(), fields, images, granule, patterns);
    }

private:
    /// visit(access, offset by image) for what happened between two moments; of a repetition the
    /// first and the last.
    template <class Visit>
    void for_each_corner(Position from, Position to, std::vector<Texel>& offset,
                         const Visit& visit) const;

    void collect_granules(Position from, Position to, std::span<BitField> fields,
                          std::size_t images, std::int64_t granule, LinePatterns& patterns) const;

    std::vector<LoggedAccess> accesses_;
    std::vector<Repeat> repeats_;
};

} // namespace texelscope::sim
