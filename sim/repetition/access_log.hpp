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
    Texel first;        ///< texel of the first lane
    std::int32_t shape; ///< number in LaneShapes
    std::uint16_t image;
    std::uint16_t core;
};

/// Everything that a simulation with jumps has done, kept short: the accesses that it simulated one
/// by one, and the stretches of the log that it jumped over as repetitions. The log is only as long
/// as what was simulated, however much was jumped over.
class AccessLog {
public:
    /// A moment: how many accesses and repetitions the log had then.
    struct Position {
        std::size_t accesses = 0;
        std::size_t repeats = 0;
    };

    /// A stretch [from, to) of the log that happened `times` times more, moved by `step` (by image,
    /// in texels) each time.
    struct Repeat {
        Position from;
        Position to;
        Position at; ///< when the repetition happened: the end of the log at that moment
        std::vector<Texel> step;
        std::int64_t times;
    };

    void add(const LoggedAccess& access) { accesses_.push_back(access); }
    /// Adds a Repeat of the stretch [from, to).
    void repeat(Position from, Position to, std::vector<Texel> step, std::int64_t times);

    [[nodiscard]] Position position() const { return {accesses_.size(), repeats_.size()}; }
    /// Number of entries.
    [[nodiscard]] std::size_t size() const { return accesses_.size() + repeats_.size(); }
    void clear();
    /// Accesses and repetitions, each in the order of time. A repetition comes after the accesses
    /// and repetitions of its stretch, and before the access number at.accesses.
    [[nodiscard]] std::span<const LoggedAccess> accesses() const { return accesses_; }
    [[nodiscard]] std::span<const Repeat> repeats() const { return repeats_; }

    /// How many times the stretch [from, to) can repeat with `step` so that every repetition does
    /// the same to memory, only moved: every lane inside of its image must stay inside, and every
    /// lane outside must stay on its side of the image. Returns 0 where a lane outside of an image
    /// with AddressMode::edge would move in the direction in which it is held at the edge: the
    /// texel that it reads stays, while those of other lanes move.
    [[nodiscard]] std::int64_t most_repeats(Position from, Position to, std::span<const Texel> step,
                                            std::span<const StoredImage> images,
                                            const LaneShapes& shapes) const;

    /// Inserts all granules (of `granule` bytes) that were looked up, repetitions included, into
    /// fields[core * images + image].
    void collect_granules(std::span<BitField> fields, std::size_t images, std::int64_t granule,
                          LinePatterns& patterns) const
    {
        collect_granules({}, position(), fields, images, granule, patterns);
    }

private:
    /// Calls visit(access, offset by image) for every access of a stretch. Of a stretch that was
    /// repeated it visits only the original and the last repetition: all others lie between these.
    template <class Visit>
    void for_each_corner(Position from, Position to, std::vector<Texel>& offset,
                         const Visit& visit) const;

    void collect_granules(Position from, Position to, std::span<BitField> fields,
                          std::size_t images, std::int64_t granule, LinePatterns& patterns) const;

    std::vector<LoggedAccess> accesses_;
    std::vector<Repeat> repeats_;
};

} // namespace texelscope::sim
