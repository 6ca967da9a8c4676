#pragma once

#include "model/bottleneck/working_set.hpp"
#include "sim/timed/warp_code.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::model {

/// Distinct units of memory (lines, sectors) that work-items side by side read at once from one
/// image: with n of them along an axis `along[axis][n - 1]`, and the product over the axes.
struct LaneSpread {
    std::array<std::vector<double>, 3> along; ///< empty: the axis makes no difference

    [[nodiscard]] double units(const std::array<std::int64_t, 3>& items) const;
};

/// A kernel's reads, whatever its work-groups are; or of work-groups that copy blocks for all of
/// their work-items (S), of work-groups as they are. Then a group stands where a work-item does
/// otherwise: axes count groups.
struct ReadStream {
    /// What work-items touch together in one read that are not apart in the grid: those that share
    /// a tile (R), or those of a group that copies blocks. Of the first n of them, in the order of
    /// their ids, at [n - 1].
    struct Together {
        std::vector<double> granules;
        std::vector<double> l2_granules;
        std::vector<double> blocks;
        WorkingSet l1_lines; ///< of all
        WorkingSet l2_lines;
    };
    struct Input {
        LaneSpread granules;    ///< of L1
        LaneSpread l2_granules; ///< of L2, or of L1 where there is none
        LaneSpread blocks;      ///< read in by lanes whose addresses take one cycle (texture.lanes)
        LineSpread l1_lines;
        LineSpread l2_lines;
        double stored_bytes = 0; ///< of the image
        bool buffer = false;
        std::optional<Together> together;
    };
    std::vector<Input> inputs;

    using Windows = std::vector<LineWindow>; ///< by input
    Windows l1_whole;                        ///< all that a work-item reads
    Windows l2_whole;

    /// An earlier read of the same place: by the work-item itself, or by its neighbour along an
    /// axis.
    struct Return {
        int axis = itself;
        Windows windows; ///< by input: what is read from then on
        static constexpr int itself = -1;
        bool operator==(const Return&) const = default;
    };
    using Returns = std::vector<Return>;
    /// Reads of one work-item that fare alike.
    struct Read {
        std::size_t input = 0;
        Returns to_granule;    ///< of L1; none where it is the first of its kind
        Returns to_l2_granule; ///< likewise
        double count = 0;      ///< of them, for one work-item
    };
    std::vector<Read> reads;
    WarpCode::Totals code; ///< of a warp that makes all of these reads
    bool barriers = false; ///< work-items of a group wait for each other
};

} // namespace texelscope::model
