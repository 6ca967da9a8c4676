#pragma once

#include "codegen/lowering/contraction.hpp"
#include "codegen/nest/tensor_layout.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// The tile of outputs that one work-item computes, as sums that it keeps in registers. Axes are
/// numbered 0, 1, 2 for x, y, z; an axis or a dimension of -1 means that there is none.
struct SumTile {
    /// The place of one sum in the tile. It counts vectors along the vectorised axis, and outputs
    /// along the others.
    using Place = std::array<std::int64_t, 3>;

    std::array<std::int64_t, 3> sizes{1, 1, 1}; ///< T, in outputs
    std::array<int, 3> dims{-1, -1, -1};        ///< slots of the dimensions that are tiled
    /// Work-items that take turns along each axis (D), and the outputs of one turn (K).
    std::array<std::int64_t, 3> turns{1, 1, 1};
    std::array<std::int64_t, 3> turn{1, 1, 1};
    int vector_axis = -1;  ///< axis of v: 0, 1 or -1; see lower()
    int vector = 1;        ///< numbers that one sum holds
    Place places{1, 1, 1}; ///< how many places there are along each axis

    [[nodiscard]] bool has_vectors() const { return vector_axis >= 0; }
    /// How many texels of the output, or of an input that packs v, one sum spans.
    [[nodiscard]] int texels_of_sum() const { return (vector + 3) / 4; }
    /// Calls `visit(place, number)` for every place, x running fastest; numbers count from 0.
    template <class Visit>
    void for_each_place(const Visit& visit) const
    {
        std::size_t number = 0;
        for (std::int64_t k = 0; k < places[2]; ++k) {
            for (std::int64_t j = 0; j < places[1]; ++j) {
                for (std::int64_t i = 0; i < places[0]; ++i) {
                    visit(Place{i, j, k}, number++);
                }
            }
        }
    }
};

/// How a contraction is computed under a schedule, without index expressions yet: the tile of sums,
/// what the components of texels hold, and the reduction loops. The words v (vectorised dimension),
/// c (channels) and "pack" are those of lower().
struct ContractionLayout {
    static constexpr std::int64_t components = 4; ///< of a texel

    /// Which dimension an input's texels pack, see lower(). `gathered`: a given layout packs none
    /// of those, so that elements are picked out of texels one by one.
    enum class Packs { vector, channels, other, nothing, gathered };
    struct Input {
        Packs packs = Packs::nothing;
        int packed = -1; ///< dimension of the tensor that is packed
        /// Whether reads differ between places of the tile along x, y, z.
        std::array<bool, 3> varies{};
        /// Whether reads differ between the four channels of a packed texel, because this input
        /// does not pack them.
        bool varies_with_step = false;
    };
    /// A reduction loop. One iteration takes `texel` values of the dimension: 4 where channels are
    /// packed, else 1. Where work-items share the reduction, each takes one of every `parts`
    /// consecutive iterations. A loop over blocks of another loop (L=ci/2) takes `step` iterations
    /// of that one at a time; its own texel and parts are 1.
    struct Loop {
        int slot = -1;               ///< slot of the dimension
        std::int64_t iterations = 1; ///< iterations that one work-item makes
        std::int64_t texel = 1;
        std::int64_t parts = 1;
        std::int64_t step = 1;    ///< what one iteration adds to the index, in texels
        bool over_blocks = false; ///< it goes over blocks of a loop further inside
        bool of_block = false;    ///< it goes over the iterations of such a block
        /// Iterations whose texels a work-group copies to local memory at a time (S); 0: it copies
        /// none.
        std::int64_t block = 0;
        bool unrolled = false; ///< its iterations are written out
    };

    SumTile tile;
    /// Tiles along each axis that are computed as a whole even if some lie outside of the output:
    /// those of a work-group where its work-items copy texels for each other, as all must take
    /// part; those of work-items that take turns (D); else 1.
    std::array<std::int64_t, 3> together{1, 1, 1};
    int channels = -1;            ///< slot of the dimension c
    bool channels_packed = false; ///< whether some input packs c
    /// Whether a product is the dot product of two texels of c.
    bool dot = false;
    std::vector<Input> inputs;
    std::vector<Loop> loops; ///< outermost first

    /// Multiply-adds of one work-item, padding included.
    [[nodiscard]] double multiply_adds() const;
    /// All values that a dimension takes in the launch, including those beyond its end that
    /// incomplete tiles and parts reach.
    [[nodiscard]] Range asked(const Variable& dim) const;
};

/// An index of the output that is a dimension plus an offset. The offset is not zero where a kernel
/// makes only a part of a tensor.
struct WrittenDim {
    int slot = -1;
    std::int64_t offset = 0;
};
/// Recognises such an index; nothing for any other one.
[[nodiscard]] std::optional<WrittenDim> written_dim(const IndexExpr& output_index);

/// A loop of L: that of a reduction dimension, or the one over its blocks of `block` iterations.
struct OrderedLoop {
    int slot = -1;
    std::int64_t block = 0; ///< 0: the loop itself
    std::string name;       ///< as in L and U: "ci", "ci/2"
};

/// Makes the layout. `order` has the reduction loops from the outermost to the innermost.
/// The schedule must have been checked, except for its vectors: throws bad_input where these do not
/// divide the tile, or where a given layout of the output packs another dimension than the vectors
/// go along.
[[nodiscard]] ContractionLayout contraction_layout(const Contraction& contraction,
                                                   const Schedule& schedule,
                                                   const std::vector<OrderedLoop>& order,
                                                   const GivenLayouts& given);

} // namespace texelscope::codegen
