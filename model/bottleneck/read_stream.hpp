#pragma once

#include "model/bottleneck/bank_spread.hpp"
#include "model/bottleneck/working_set.hpp"
#include "sim/timed/warp_code.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::model {

/// How many distinct units of memory (lines, sectors) work-items side by side touch when each makes
/// the same read of one image. For n work-items along one axis it is `along[axis][n - 1]`; for a
/// block of work-items it is the product over the axes.
struct LaneSpread {
    std::array<std::vector<double>, 3> along; ///< empty: the axis makes no difference

    [[nodiscard]] double units(const std::array<std::int64_t, 3>& items) const;
};

/// The reads of a kernel as the bottleneck model sees them: what one work-item reads and how it
/// comes back to it. The stream does not depend on the work-group size, so that one stream serves
/// many configurations. The exception are kernels whose work-groups copy blocks to local memory
/// (S): there a whole group stands in the place of a work-item, the axes count groups, and the
/// stream holds for these work-groups alone.
///
/// A vector "by level" has an entry for each level of cache that a read can meet (CachePath): L1
/// at [0], then the levels behind it that are there, towards memory.
struct ReadStream {
    /// What several work-items at the same place of the grid touch together in one read: those that
    /// share one tile (R), or those of a group that copies blocks (S).
    struct Together {
        struct AtLevel {
            /// [n - 1]: distinct granules of the first n of them, in the order of their ids.
            std::vector<double> granules;
            WorkingSet lines; ///< of all of them together
        };
        std::vector<AtLevel> levels; ///< by level
        std::vector<double> blocks;  ///< as `granules`, of Input::blocks
    };
    struct Input {
        struct AtLevel {
            LaneSpread granules; ///< distinct granules of the level
            LineSpread lines;
            BankSpread banks; ///< of a level that has several
        };
        std::vector<AtLevel> levels; ///< by level
        BankSpread channels;         ///< of memory, where it has several
        /// Distinct blocks of memory that one cycle of the texture unit serves (texture.lanes);
        /// none are counted where a cycle serves lanes wherever they read (texture.block is 0).
        LaneSpread blocks;
        double texel_bytes = 16;
        double stored_bytes = 0; ///< size of the image in memory
        bool buffer = false;
        std::optional<Together> together;
    };
    std::vector<Input> inputs;

    using Windows = std::vector<LineWindow>; ///< one for each input
    /// By level: everything that one work-item reads, seen as lines of that level.
    std::vector<Windows> whole;

    /// An earlier read of the same place: one that the work-item made itself, or that its neighbour
    /// along an axis made.
    struct Return {
        int axis = itself;
        Windows windows; ///< by input: what is read between the earlier read and this one
        static constexpr int itself = -1;
        bool operator==(const Return&) const = default;
    };
    using Returns = std::vector<Return>;
    /// A class of reads of one work-item that all return to earlier reads in the same way, so that
    /// the model treats them as one.
    struct Read {
        std::size_t input = 0;
        /// By level: earlier reads of the same granule; empty where there is none.
        std::vector<Returns> returns;
        double count = 0; ///< how many such reads one work-item makes
    };
    std::vector<Read> reads;
    /// What work-items write, and how a store of work-items side by side spreads over the sectors
    /// of Machine::stores and the lines of the level that all cores share.
    struct Output {
        LaneSpread sectors;
        LaneSpread lines;
        /// Of work-items at the same place of the grid: [n - 1] is what the first n of them write
        /// together. Empty: there is one.
        std::vector<double> sectors_together;
        std::vector<double> lines_together;
        std::int64_t writers = 1; ///< of these, the first ones, that write at all
        double texel_bytes = 16;
        double stored_bytes = 0; ///< size of the output in memory
    };
    std::optional<Output> output; ///< nullopt: not known
    WarpCode::Totals code;        ///< what the code of one warp takes for all of these reads
    bool barriers = false;        ///< work-items of a group wait for each other
};

} // namespace texelscope::model
