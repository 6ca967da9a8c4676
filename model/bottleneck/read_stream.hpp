#pragma once

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
struct ReadStream {
    /// What several work-items at the same place of the grid touch together in one read: those that
    /// share one tile (R), or those of a group that copies blocks (S). Entry [n - 1] counts the
    /// distinct units of the first n of them, in the order of their ids.
    struct Together {
        std::vector<double> granules;
        std::vector<double> l2_granules;
        std::vector<double> blocks;
        WorkingSet l1_lines; ///< of all of them together
        WorkingSet l2_lines;
    };
    struct Input {
        LaneSpread granules;    ///< distinct granules of L1
        LaneSpread l2_granules; ///< distinct granules of L2, or of L1 where there is no L2
        /// Distinct blocks of memory that one cycle of the texture unit serves (texture.lanes)
        LaneSpread blocks;
        LineSpread l1_lines;
        LineSpread l2_lines;
        double stored_bytes = 0; ///< size of the image in memory
        bool buffer = false;
        std::optional<Together> together;
    };
    std::vector<Input> inputs;

    using Windows = std::vector<LineWindow>; ///< one for each input
    Windows l1_whole; ///< everything that one work-item reads, seen as lines of L1
    Windows l2_whole;

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
        Returns to_granule;    ///< earlier reads of the same L1 granule; empty where there is none
        Returns to_l2_granule; ///< earlier reads of the same L2 granule; empty where there is none
        double count = 0;      ///< how many such reads one work-item makes
    };
    std::vector<Read> reads;
    WarpCode::Totals code; ///< what the code of one warp takes for all of these reads
    bool barriers = false; ///< work-items of a group wait for each other
};

} // namespace texelscope::model
